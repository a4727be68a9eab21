package approval_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/web/portal/portaltest"
)

// TestMember: a member who may approve is offered to allow once or to deny, does it with a key of their own, and no longer
// once the right is taken; one who may not reads why.
func TestMember(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	a, second, third := p.Propose(t), p.Propose(t), p.Propose(t)
	looks := h.As(t, h.Member(t, of, "A guest", account.Rights{Role: account.Member}))
	got := looks.Get(portaltest.ApprovalPath(a))
	if got.Find("[name=decision]").Length() != 0 || !strings.Contains(got.Find("#approval-"+a.ID).Text(), "You may not decide requests") {
		t.Error("who may not decide is offered to, or does not read why")
	}
	u := h.Member(t, of, "A baker", account.Rights{Role: account.Member, Approve: true})
	b := h.As(t, u)
	if got := verbs(b.Get(portaltest.ApprovalPath(a)).Find("#approval-" + a.ID)); got != "deny allow_once deny" {
		t.Errorf("a member is offered %q", got)
	}
	key := portaltest.NewSigner()
	_, err := h.Keys.Ask(t.Context(), of.ID, approver.Request{SPKI: key.SPKI(), Kind: wire.BrowserKey, Label: "Phone", User: string(u.ID)})
	portaltest.Must(t, err)
	_, waiting, err := h.Keys.Asking(t.Context(), of.ID)
	portaltest.Must(t, err)
	if len(waiting) != 1 || waiting[0].Body().Holder != wire.HolderMember || waiting[0].Person != "A baker" {
		t.Fatalf("the owner would sign for %+v", waiting)
	}
	h.Belongs(t, of, key, u)
	answer := func(a wire.Approval, verb string, s wire.Signer) int {
		form := portaltest.AnswerTo(a, verb)
		form.Set("signature", portaltest.SignatureOf(s, time.Now()))
		return b.Post("/app/approvals/"+a.ID, form).StatusCode
	}
	if got := answer(a, "allow_once", portaltest.Signer()); got != http.StatusForbidden {
		t.Errorf("a member allows with an owner's key: %d", got)
	}
	if got := answer(a, "allow_window", key); got == http.StatusSeeOther {
		t.Errorf("a member allows for a while: %d", got)
	}
	if got := answer(a, "allow_once", key); got != http.StatusSeeOther {
		t.Errorf("a member allows once: %d", got)
	}
	if got := answer(second, "deny", key); got != http.StatusSeeOther {
		t.Errorf("a member denies: %d", got)
	}
	o := h.Owner(t, of)
	if got := o.Get("/app/settings/approvers").Find("[data-key='" + key.KeyID + "']"); !strings.Contains(got.Text(), "Of A baker") ||
		got.Find("form").Length() != 1 {
		t.Errorf("the owner reads of the device: %q", got.Text())
	}
	mine := b.Get("/app/settings/approvers")
	const ownersForms = "form[data-enrol], form[data-recovery-new], form[data-change]"
	if mine.Find("#keys [data-key]").Length() != 1 || mine.Find(ownersForms).Length() != 0 || mine.Find("form[data-asks]").Length() != 1 {
		t.Error("a member sees more than their own device, or what only owners do")
	}
	portaltest.WantSound(t, "/app/settings/approvers", mine.Document)
	_, err = h.DB.Pool.Exec(t.Context(), "UPDATE users SET may_approve = false WHERE id = $1", u.ID)
	portaltest.Must(t, err)
	b = h.As(t, u)
	if got := answer(third, "allow_once", key); got != http.StatusForbidden {
		t.Errorf("a member allows without the right: %d", got)
	}
	people := o.Get("/app/settings/people")
	if !strings.Contains(people.Find(".notice").Text(), "Phone") ||
		!strings.Contains(o.Get("/app/settings/approvers").Find("[data-key='"+key.KeyID+"']").Text(), "Remove this device") {
		t.Error("the owner is not asked to remove the device")
	}
}

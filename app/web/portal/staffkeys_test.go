package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/agentd/wire"
	"gatehouse/app/approver"
	"gatehouse/app/audit"
	"gatehouse/db"
)

// staffKey is a key for which one of our staff has asked, as the server reports it once its owner has added it.
func (h *hub) staffKey(t *testing.T, of customer, by audit.Actor) (wire.Signer, wire.ApproverKey) {
	t.Helper()
	s := newSigner()
	must(t, h.keys.AskAsStaff(t.Context(), of.id, approver.Request{SPKI: s.SPKI(), Kind: wire.BrowserKey}, by))
	return s, wire.ApproverKey{KeyID: s.KeyID, SPKI: s.SPKI(), Kind: wire.BrowserKey, Holder: wire.HolderStaff, Label: by.Name, AddedBy: signer().KeyID, CreatedAt: time.Now().UTC()}
}

// enrolled says which keys count on a customer's server, beside the owner's.
func (h *hub) enrolled(t *testing.T, of customer, keys ...wire.ApproverKey) {
	t.Helper()
	own := wire.ApproverKey{KeyID: signer().KeyID, SPKI: signer().SPKI(), Kind: wire.SoftwareKey, Holder: wire.HolderPerson, Label: "test", CreatedAt: time.Now().UTC()}
	must(t, (&db.Approvers{DB: h.db}).Report(t.Context(), of.server, wire.ApproverState{Keys: append(keys, own)}))
}

func staffAnswer(a wire.Approval, verb string, key wire.Signer) url.Values {
	form := answerTo(a, verb)
	form.Set("signature", signatureOf(key, time.Now()))
	form.Set("reason", "Asked by telephone")
	return form
}

// verbs are the answers that a card offers.
func verbs(card *goquery.Selection) string {
	return strings.Join(card.Find("[name=decision]").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("value", "") }), " ")
}

// TestStaffInbox_allowsOnce: with a key of their own that the owner has added, staff allow this one request, unseen; they
// are offered nothing more, and what they send beyond that is refused at once, in words.
func TestStaffInbox_allowsOnce(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	a := h.link(t, of).ask(t, func(a *wire.Approval) { a.Tier, a.Windows = "yellow", []int{15, 60} })
	clerk, who := h.clerkOf(t, "manager@gatehouse.example", "MANAGER")
	other, _ := h.clerkOf(t, "other@gatehouse.example", "ADMIN")
	at := "/admin/approvals/" + a.ID
	card := clerk.get(at).Find("#approval-" + a.ID)
	if verbs(card) != "deny" || !strings.Contains(card.Text(), "You may only deny") || card.Find("a[href='/admin/keys/"+string(of.server)+"']").Length() != 1 {
		t.Errorf("without a key staff read %s", card.Text())
	}
	signs, key := h.staffKey(t, of, who)
	if got := clerk.post(at, staffAnswer(a, "allow_once", signs)); got.StatusCode != http.StatusForbidden {
		t.Errorf("with a key that was not added: %d", got.StatusCode)
	}
	h.enrolled(t, of, key)
	card = clerk.get("/admin/approvals").Find("#approval-" + a.ID)
	form := card.Find("form[data-decision]")
	if _, shown := form.Attr("data-shown"); verbs(card) != "deny allow_once" || shown || card.Find("[data-verb=edit], select").Length() != 0 || form.AttrOr("data-sign", "") != wire.CallText(a) {
		t.Errorf("with a key staff are offered %q of %s", verbs(card), card.Text())
	}
	for verb, more := range map[string]url.Values{"allow_window": {"minutes": {"15"}}, "allow_rule": {"scope": {`{"rule":"x"}`}}, "edit": {"args": {`{"a":1}`}}} {
		form := staffAnswer(a, verb, signs)
		for k, v := range more {
			form[k] = v
		}
		if got := clerk.post(at, form); got.StatusCode != http.StatusForbidden || !strings.Contains(got.Find(".checks").Text(), "no window, no rule") {
			t.Errorf("%s: %d %s", verb, got.StatusCode, got.Find("main").Text())
		}
	}
	if got := other.post(at, staffAnswer(a, "allow_once", signs)); got.StatusCode != http.StatusForbidden {
		t.Errorf("another of the staff allows with it: %d", got.StatusCode)
	}
	if got := clerk.post(at, staffAnswer(a, "allow_once", signs)); got.StatusCode != http.StatusSeeOther {
		t.Errorf("allowed: %d %s", got.StatusCode, got.Find("main").Text())
	}
	if got := h.owner(t, of).get(path(a)).Find("main").Text(); !strings.Contains(got, "staff") || !strings.Contains(got, "in the console") || !strings.Contains(got, "Allowed") {
		t.Errorf("the customer is told %s", got)
	}
	if got := h.owner(t, of).get("/app/settings/approvers").Find("#staff-keys").Text(); !strings.Contains(got, who.Name) || !strings.Contains(got, "Allowed something last") {
		t.Errorf("of the key the customer is told %s", got)
	}
}

// TestStaffInbox_noLeave: neither a role that allows nothing nor a key that was taken back is of use, whatever is signed.
func TestStaffInbox_noLeave(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	a := p.ask(t)
	at := "/admin/approvals/" + a.ID
	support, who := h.clerkOf(t, "support@gatehouse.example", "SUPPORT")
	signs, key := h.staffKey(t, of, who)
	h.enrolled(t, of, key)
	card := support.get(at).Find("#approval-" + a.ID)
	if verbs(card) != "deny" || !strings.Contains(card.Text(), "Your role may deny") || card.Find(".decision a").Length() != 0 {
		t.Errorf("Support reads %s", card.Text())
	}
	if got := support.post(at, staffAnswer(a, "allow_once", signs)); got.StatusCode != http.StatusForbidden || !strings.Contains(got.Find(".checks").Text(), "Your role may deny") {
		t.Errorf("Support allows: %d", got.StatusCode)
	}
	manager, who := h.clerkOf(t, "manager@gatehouse.example", "MANAGER")
	signs, key = h.staffKey(t, of, who)
	h.enrolled(t, of, key)
	h.enrolled(t, of)
	if got := manager.post(at, staffAnswer(a, "allow_once", signs)); got.StatusCode != http.StatusForbidden || verbs(got.Find("#approval-"+a.ID)) != "deny" {
		t.Errorf("with a key that was taken back: %d", got.StatusCode)
	}
	form := answerTo(a, "deny")
	form.Set("reason", "Asked by telephone")
	if got := support.post(at, form); got.StatusCode != http.StatusSeeOther {
		t.Errorf("Support denies: %d", got.StatusCode)
	}
}

// TestApprovers_staff: the owner reads who of our staff asks, adds only with a signature, and takes a key of theirs back
// with a plain form.
func TestApprovers_staff(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	_, who := h.clerkOf(t, "manager@gatehouse.example", "MANAGER")
	_, key := h.staffKey(t, of, who)
	owner := h.owner(t, of)
	page := owner.get("/app/settings/approvers")
	wantSound(t, "/app/settings/approvers", page.Document)
	asks := page.Find("#asking [data-key='" + key.KeyID + "']")
	if text := asks.Text(); !strings.Contains(text, who.Name) || !strings.Contains(text, "Our staff") || !strings.Contains(text, approver.Fingerprint(key.SPKI)) || !strings.Contains(text, "while you speak with this person") {
		t.Errorf("the owner reads %s", text)
	}
	if body := asks.Find("form[data-change='approver.enrol']").AttrOr("data-change-body", ""); !strings.Contains(body, `"holder":"staff"`) || !strings.Contains(body, who.Name) {
		t.Errorf("signed would be %s", body)
	}
	h.enrolled(t, of, key)
	page = owner.get("/app/settings/approvers")
	wantSound(t, "/app/settings/approvers", page.Document)
	listed := page.Find("#staff-keys [data-key='" + key.KeyID + "']")
	if form := listed.Find("form"); form.AttrOr("action", "") != "/app/settings/approvers/"+key.KeyID+"/revoke" || form.Is("[data-change]") || form.Find("button.js-only").Length() != 0 {
		t.Errorf("taking it back is %s", form.Text())
	}
	if page.Find("#keys [data-key='"+key.KeyID+"']").Length() != 0 || page.Find("#asking").Length() != 0 {
		t.Error("the key of staff stands among those of the business, or still waits")
	}
}

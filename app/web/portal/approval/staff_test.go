package approval_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

func staffAnswer(a wire.Approval, verb string, key wire.Signer) url.Values {
	form := portaltest.AnswerTo(a, verb)
	form.Set("signature", portaltest.SignatureOf(key, time.Now()))
	form.Set("reason", "Asked by telephone")
	return form
}

// verbs are the answers that a card offers.
func verbs(card *goquery.Selection) string {
	return strings.Join(card.Find("[name=decision]").Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("value", "") }), " ")
}

func TestStaffInbox_showsNoContentsAndDeniesOnly(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	a := p.Propose(t)
	clerk := h.Clerk(t)
	page := clerk.Get("/admin/approvals")
	card := page.Find("#approval-" + a.ID)
	if text := card.Text(); strings.Contains(text, "someone@example.com") || strings.Contains(text, "We open") || !strings.Contains(text, "Example Bakery") {
		t.Errorf("staff see %s", text)
	}
	if card.Find("button[value=allow_once]").Length() != 0 || card.Find("a[data-verb=edit]").Length() != 0 {
		t.Error("staff are offered to allow or edit")
	}
	form := portaltest.AnswerTo(a, "allow_once")
	if got := clerk.Post("/admin/approvals/"+a.ID, form); got.StatusCode != http.StatusForbidden {
		t.Errorf("staff allow with %d", got.StatusCode)
	}
	if got := clerk.Get("/admin/approvals/" + a.ID + "/edit"); got.StatusCode != http.StatusNotFound {
		t.Errorf("staff get the edit page with %d", got.StatusCode)
	}
	s := clerk.Open(page.Find("#live").AttrOr("hx-sse:connect", ""), "")
	s.Until("badge-approvals")
	away := clerk.Get("/admin/approvals/"+a.ID).Find("#live").AttrOr("hx-sse:connect", "") // of a page that is away meanwhile
	form = portaltest.AnswerTo(a, "deny")
	form.Set("reason", "Asked by phone")
	if got := clerk.Post("/admin/approvals/"+a.ID, form); got.StatusCode != http.StatusSeeOther {
		t.Errorf("staff deny with %d: %s", got.StatusCode, got.Find("main").Text())
	}
	s.Until("Denied")
	clerk.Open(away, "").Until("Denied")
	kept := p.Asked[a.ID]
	kept.DenyReason = "Asked by phone" // the hub has it no more
	p.Asked[a.ID] = kept
	got := h.Owner(t, of).Get(portaltest.ApprovalPath(a)).Find("main").Text()
	if !strings.Contains(got, "staff") || !strings.Contains(got, "on the staff pages") || !strings.Contains(got, "Asked by phone") {
		t.Errorf("the customer is told %s", got)
	}
}

// TestStaffInbox_search: staff look for what waits and for what was decided; a page that shows what was found is brought
// up to date with what fits, and with nothing else.
func TestStaffInbox_search(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of, other := h.NewCustomer(t), h.NewCustomer(t)
	p, q := h.Link(t, of), h.Link(t, other)
	a, b := p.Propose(t), q.Propose(t)
	clerk := h.Clerk(t)
	for _, text := range []string{of.Email, a.ID, " " + of.Email + " "} {
		page := clerk.Get("/admin/approvals?q=" + url.QueryEscape(text))
		if page.Find("#approval-"+a.ID).Length() != 1 || page.Find("#approval-"+b.ID).Length() != 0 || page.Find("[role=search] input[name=q]").AttrOr("value", "") != strings.TrimSpace(text) {
			t.Errorf("%q shows %s", text, page.Find("main").Text())
		}
	}
	if got := clerk.Get("/admin/approvals?q=nobody").Find("main"); !strings.Contains(got.Text(), "Nothing matches “nobody”") || got.Find("a.btn").AttrOr("href", "") != "/admin/approvals" {
		t.Errorf("no match shows %s", got.Text())
	}
	if got := clerk.Get("/admin/approvals?q=" + strings.Repeat("x", 101)); got.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a long text: %d", got.StatusCode)
	}
	page := clerk.Get("/admin/approvals?q=" + url.QueryEscape(of.Email))
	s := clerk.Open(page.Find("#live").AttrOr("hx-sse:connect", ""), "")
	s.Until("badge-approvals")
	d, c := q.Propose(t), p.Propose(t)
	if text := fmt.Sprint(s.Until("approval-" + c.ID)); strings.Contains(text, d.ID) || strings.Contains(text, b.ID) {
		t.Error("the page is brought what was not looked for")
	}
	form := portaltest.AnswerTo(a, "deny")
	form.Set("reason", "Asked by phone")
	clerk.Post("/admin/approvals/"+a.ID, form)
	for text, found := range map[string]int{of.Email: 1, other.Email: 0, "nobody": 0} {
		page := clerk.Get("/admin/approvals/history?q=" + url.QueryEscape(text))
		if n := page.Find("#decided tbody tr").Length(); n != found || page.Find("#decided input[name=q]").AttrOr("value", "") != text {
			t.Errorf("history for %s has %d rows", text, n)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+"/admin/approvals/history?q=nobody&tier=red", nil)
	portaltest.Must(t, err)
	r.Header.Set("HX-Request-Type", "partial")
	if got := clerk.Send(r); got.Find("#decided-results").Length() != 1 || got.Find("main, form").Length() != 0 {
		t.Errorf("htmx got %s", got.Source)
	}
}

// TestStaffInbox_allowsOnce: with a key of their own that the owner has added, staff allow this one request, unseen; they
// are offered nothing more, and what they send beyond that is refused at once, in words.
func TestStaffInbox_allowsOnce(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t, func(a *wire.Approval) { a.Tier, a.Windows = "yellow", []int{15, 60} })
	clerk, who := h.ClerkOf(t, "manager@gatehouse.example", "MANAGER")
	other, _ := h.ClerkOf(t, "other@gatehouse.example", "ADMIN")
	at := "/admin/approvals/" + a.ID
	card := clerk.Get(at).Find("#approval-" + a.ID)
	if verbs(card) != "deny" || !strings.Contains(card.Text(), "You can only deny") || card.Find("a[href='/admin/keys/"+string(of.Server)+"']").Length() != 1 {
		t.Errorf("without a key staff read %s", card.Text())
	}
	signs, key := h.StaffKey(t, of, who)
	if got := clerk.Post(at, staffAnswer(a, "allow_once", signs)); got.StatusCode != http.StatusForbidden {
		t.Errorf("with a key that was not added: %d", got.StatusCode)
	}
	h.Enroll(t, of, key)
	card = clerk.Get("/admin/approvals").Find("#approval-" + a.ID)
	form := card.Find("form[data-decision]")
	if _, shown := form.Attr("data-shown"); verbs(card) != "deny allow_once" || shown || card.Find("[data-verb=edit], select").Length() != 0 || form.AttrOr("data-sign", "") != wire.CallText(a) {
		t.Errorf("with a key staff are offered %q of %s", verbs(card), card.Text())
	}
	for verb, more := range map[string]url.Values{"allow_window": {"minutes": {"15"}}, "allow_rule": {"scope": {`{"rule":"x"}`}}, "edit": {"args": {`{"a":1}`}}} {
		form := staffAnswer(a, verb, signs)
		for k, v := range more {
			form[k] = v
		}
		if got := clerk.Post(at, form); got.StatusCode != http.StatusForbidden || !strings.Contains(got.Find(".checks").Text(), "without changes, rules") {
			t.Errorf("%s: %d %s", verb, got.StatusCode, got.Find("main").Text())
		}
	}
	if got := other.Post(at, staffAnswer(a, "allow_once", signs)); got.StatusCode != http.StatusForbidden {
		t.Errorf("another of the staff allows with it: %d", got.StatusCode)
	}
	if got := clerk.Post(at, staffAnswer(a, "allow_once", signs)); got.StatusCode != http.StatusSeeOther {
		t.Errorf("allowed: %d %s", got.StatusCode, got.Find("main").Text())
	}
	if got := h.Owner(t, of).Get(portaltest.ApprovalPath(a)).Find("main").Text(); !strings.Contains(got, "staff") || !strings.Contains(got, "on the staff pages") || !strings.Contains(got, "Allowed") {
		t.Errorf("the customer is told %s", got)
	}
	if got := h.Owner(t, of).Get("/app/settings/approvers").Find("#staff-keys").Text(); !strings.Contains(got, who.Name) || !strings.Contains(got, "Last allowed something") {
		t.Errorf("of the key the customer is told %s", got)
	}
}

// TestStaffInbox_noLeave: neither a role that allows nothing nor a key that was taken back is of use, whatever is signed.
func TestStaffInbox_noLeave(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	a := p.Propose(t)
	at := "/admin/approvals/" + a.ID
	support, who := h.ClerkOf(t, "support@gatehouse.example", "SUPPORT")
	who.Role = "MANAGER" // as they were when they asked
	signs, key := h.StaffKey(t, of, who)
	h.Enroll(t, of, key)
	card := support.Get(at).Find("#approval-" + a.ID)
	if verbs(card) != "deny" || !strings.Contains(card.Text(), "Your role can only deny") || card.Find(".decision a").Length() != 0 {
		t.Errorf("Support reads %s", card.Text())
	}
	if got := support.Post(at, staffAnswer(a, "allow_once", signs)); got.StatusCode != http.StatusForbidden || !strings.Contains(got.Find(".checks").Text(), "Your role can only deny") {
		t.Errorf("Support allows: %d", got.StatusCode)
	}
	manager, who := h.ClerkOf(t, "manager@gatehouse.example", "MANAGER")
	signs, key = h.StaffKey(t, of, who)
	h.Enroll(t, of, key)
	h.Enroll(t, of)
	if got := manager.Post(at, staffAnswer(a, "allow_once", signs)); got.StatusCode != http.StatusForbidden || verbs(got.Find("#approval-"+a.ID)) != "deny" {
		t.Errorf("with a key that was taken back: %d", got.StatusCode)
	}
	form := portaltest.AnswerTo(a, "deny")
	form.Set("reason", "Asked by telephone")
	if got := support.Post(at, form); got.StatusCode != http.StatusSeeOther {
		t.Errorf("Support denies: %d", got.StatusCode)
	}
}

package approval_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/web/portal/portaltest"
)

// TestEdit_refusedByTheServer: an edit that the server cannot carry out is not lost. The question that comes again says that the
// text is kept and why it was refused, and its page of changes begins with what was typed.
func TestEdit_refusedByTheServer(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	const why = "asked again: the edited arguments do not fit: to is no address"
	a := h.Link(t, of).Propose(t, func(a *wire.Approval) {
		a.WhyAsked, a.Typed = why, json.RawMessage(`{"text":"We open at ten.","to":"nobody","more":"of another form"}`)
	})
	b := h.Owner(t, of)
	card := b.Get(portaltest.ApprovalPath(a)).Find(".approval")
	for _, want := range []string{"do not fit: to is no address", "What you changed is kept", "someone@example.com"} {
		if !strings.Contains(card.Text(), want) {
			t.Errorf("the card lacks %q: %s", want, card.Text())
		}
	}
	page := b.Get(portaltest.ApprovalPath(a) + "/edit")
	said := page.Find("#edit-problems").Text()
	if !strings.Contains(said, "could not be carried out") || !strings.Contains(said, "to is no address") {
		t.Errorf("the page of changes says %q", said)
	}
	for name, want := range map[string]string{"args.text": "We open at ten.", "args.to": "nobody", "args.subject": "Opening hours"} {
		field := page.Find("[name='" + name + "']")
		if got := field.AttrOr("value", field.Text()); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if n := page.Find("[name^='args.']").Length(); n != 3 {
		t.Errorf("%d fields, want those of the request", n)
	}
	form := url.Values{"digest": {a.Digest}, "decision": {"edit"}, "signature": {portaltest.Signature()}, "args.to": {"x@example.com"}}
	if got := b.Post(portaltest.ApprovalPath(a)+"/edit", form); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("the second try: %d", got.StatusCode)
	}
	it, err := h.Approvals.Get(t.Context(), of.ID, a.ID)
	portaltest.Must(t, err)
	if len(it.Typed) != 0 {
		t.Errorf("the hub keeps what was typed after the decision: %s", it.Typed)
	}
}

// TestEdit_reopened: when the server takes no answer, and the same question is open again, what was typed comes back with it.
func TestEdit_reopened(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	a := h.Link(t, of).Propose(t)
	b := h.Owner(t, of)
	form := url.Values{"digest": {a.Digest}, "decision": {"edit"}, "signature": {portaltest.Signature()}, "args.text": {"We open at ten."}}
	if got := b.Post(portaltest.ApprovalPath(a)+"/edit", form); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("got %d", got.StatusCode)
	}
	again := a
	again.Typed = json.RawMessage(`{"text":"We open at ten."}`)
	from := approval.Sender{ID: of.Server, CustomerID: of.ID}
	portaltest.Must(t, h.Approvals.Update(t.Context(), from, wire.ApprovalUpdate{
		ID: a.ID, State: wire.ApprovalPending, Note: "the answer was not accepted: the key was revoked", Again: &again, Time: time.Now(),
	}))
	page := b.Get(portaltest.ApprovalPath(a) + "/edit")
	if got := page.Find("[name='args.text']").Text(); got != "We open at ten." {
		t.Errorf("the field has %q", got)
	}
	if said := page.Find("#edit-problems").Text(); !strings.Contains(said, "the key was revoked") {
		t.Errorf("the page says %q", said)
	}
}

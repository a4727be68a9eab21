package account_test

import (
	"net/url"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
	"gatehouse/db"
)

// TestHere: the dialog takes a code at once where no device may approve yet, and names the device that can let this one in
// where there is one. It leads back to where it was needed, and nowhere else.
func TestHere(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	b := h.Owner(t, of)
	here := func(next string) portaltest.Answer {
		return b.Get("/app/settings/approvers/here?next=" + url.QueryEscape(next))
	}
	got := here("/app/approvals")
	if got.Find("dialog form[data-enrol] [data-code]").Length() != 1 || got.Find("[data-other-ways]").Length() != 0 {
		t.Errorf("with no device: %s", got.Source)
	}
	if to := got.Find("dialog a[data-close]").AttrOr("href", ""); to != "/app/approvals" {
		t.Errorf("cancel leads to %q", to)
	}
	phone := wire.ApproverKey{KeyID: "phone", Kind: wire.PasskeyKey, Holder: wire.HolderPerson, Label: "phone", CreatedAt: time.Now().UTC()}
	portaltest.Must(t, (&db.Approvers{DB: h.DB}).Report(t.Context(), of.Server, wire.ApproverState{Keys: []wire.ApproverKey{phone}}))
	got = here("https://evil.example/")
	if got.Find("[data-other-ways] a").Length() != 1 || got.Find("details[data-code-way] [data-code]").Length() != 1 {
		t.Errorf("with a device: %s", got.Source)
	}
	if to := got.Find("dialog a[data-close]").AttrOr("href", ""); to != "/app" {
		t.Errorf("it leads to %q", to)
	}
}

package account_test

import (
	"strings"
	"testing"

	"gatehouse/app/approver"
	"gatehouse/app/web/portal/portaltest"
)

// TestApprovers_staff: the owner reads who of our staff asks, adds only with a signature, and takes a key of theirs back
// with a plain form.
func TestApprovers_staff(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	_, who := h.ClerkOf(t, "manager@gatehouse.example", "MANAGER")
	_, key := h.StaffKey(t, of, who)
	owner := h.Owner(t, of)
	page := owner.Get("/app/settings/approvers")
	portaltest.WantSound(t, "/app/settings/approvers", page.Document)
	asks := page.Find("#asking [data-key='" + key.KeyID + "']")
	if text := asks.Text(); !strings.Contains(text, who.Name) || !strings.Contains(text, "Our staff") || !strings.Contains(text, approver.Words(key.SPKI)) || !strings.Contains(text, "while you are talking to this person") {
		t.Errorf("the owner reads %s", text)
	}
	if body := asks.Find("form[data-change='approver.enrol']").AttrOr("data-change-body", ""); !strings.Contains(body, `"holder":"staff"`) || !strings.Contains(body, who.Name) {
		t.Errorf("signed would be %s", body)
	}
	h.Enroll(t, of, key)
	page = owner.Get("/app/settings/approvers")
	portaltest.WantSound(t, "/app/settings/approvers", page.Document)
	listed := page.Find("#staff-keys [data-key='" + key.KeyID + "']")
	if form := listed.Find("form"); form.AttrOr("action", "") != "/app/settings/approvers/"+key.KeyID+"/revoke" || form.Is("[data-change]") || form.Find("button.js-only").Length() != 0 {
		t.Errorf("taking it back is %s", form.Text())
	}
	if page.Find("#keys [data-key='"+key.KeyID+"']").Length() != 0 || page.Find("#asking").Length() != 0 {
		t.Error("the key of staff stands among those of the business, or still waits")
	}
}

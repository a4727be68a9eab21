package admin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/app/order"
)

// TestRegain: one of the staff opens a case and cannot confirm it; another one does, and either stops it. The page says how a device
// may approve again.
func TestRegain(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "The baker", "baker@example.com", "baker", order.Fulfilled)
	page := "/admin/customers/" + string(o.CustomerID) + "/regain"
	if lead := h.doc(t, h.manager, "/admin/customers/"+string(o.CustomerID)).Find("a[href='" + page + "']"); lead.Length() != 1 {
		t.Error("the page of the customer does not lead there")
	}
	holds(t, "with no case", h.doc(t, h.manager, page).Find("main").Text(), []string{"agentd approver code", "Open a case"}, nil)
	form := url.Values{
		"user": {string(o.OrderedBy)}, "email": {"new@example.com"}, "reason": {"The office burned down."},
		"checked": {"Called back, saw a passport."},
	}
	if status, text := h.send(t, h.manager, page, url.Values{"user": {"x"}, "email": {"no"}}); status != http.StatusUnprocessableEntity ||
		!strings.Contains(text, `role="alert"`) {
		t.Errorf("what does not fit: %d", status)
	}
	if status, _ := h.send(t, h.manager, page, form); status != http.StatusSeeOther {
		t.Fatalf("opened: %d", status)
	}
	own := h.doc(t, h.manager, page)
	holds(t, "one's own", own.Find("main").Text(), []string{"Somebody else of the staff must confirm it"}, []string{"start the three days"})
	confirm := h.doc(t, h.admin, page).Find("form[action$='/confirm']").AttrOr("action", "")
	if status, text := h.send(t, h.manager, confirm, nil); status != http.StatusForbidden || !strings.Contains(text,
		"You opened this case") {
		t.Errorf("confirmed by who opened it: %d", status)
	}
	if status, text := h.send(t, h.admin, confirm, nil); status != http.StatusForbidden || !strings.Contains(text, "for seven days") {
		t.Errorf("confirmed by somebody new: %d", status)
	}
	_, err := h.db.Pool.Exec(t.Context(), "UPDATE staff SET created_at = now() - interval '8 days'")
	must(t, err)
	if status, _ := h.send(t, h.admin, confirm, nil); status != http.StatusSeeOther {
		t.Errorf("confirmed: %d", status)
	}
	holds(t, "confirmed", h.doc(t, h.manager, page).Find("main").Text(), []string{"Waits for three days", "admin@example.com"},
		[]string{"Open a case"})
	if status, _ := h.send(t, h.manager, strings.TrimSuffix(confirm, "/confirm")+"/stop", nil); status != http.StatusSeeOther {
		t.Errorf("stopped: %d", status)
	}
	holds(t, "stopped", h.doc(t, h.manager, page).Find("main").Text(), []string{"Stopped", "Open a case"}, nil)
}

package admin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/app/order"
	"gatehouse/app/work"
)

// walk takes an order along its way to a state, as jobs do.
func (h *hub) walk(t *testing.T, o order.Order, to order.State) order.Order {
	t.Helper()
	for o.State != to {
		server := ""
		if o.State == order.AwaitingServer {
			must(t, h.db.Pool.QueryRow(t.Context(), "SELECT id FROM servers WHERE order_id = $1", o.ID).Scan(&server))
		}
		next, err := h.orders.Advance(
			t.Context(),
			work.AdvanceOrder{OrderID: string(o.ID), Step: string(o.State), Attempt: o.Attempt},
			"Done.",
			server,
		)
		must(t, err)
		o = next
	}
	return o
}

// press presses a button of an order's page, with what its form asks besides.
func (h *hub) press(t *testing.T, o order.Order, act string, with url.Values) (status int, to string) {
	t.Helper()
	form := h.doc(t, h.manager, pathOf(o)).Find(`form[action="` + pathOf(o) + `/act"]:has(button[value=` + act + `])`)
	if form.Length() != 1 {
		t.Fatalf("the page of the order offers %s %d times", act, form.Length())
	}
	for name := range with {
		if form.Find(`select[name=`+name+`] option[value="`+with.Get(name)+`"]`).Length() != 1 {
			t.Fatalf("the form does not offer %s", with.Encode())
		}
	}
	with.Set("act", act)
	with.Set("csrf", h.csrf(t, h.manager, o))
	status, to = h.post(t, h.manager, pathOf(o)+"/act", with)
	if status == http.StatusOK { // it asks for the mailed code
		with.Set("mailed_code", h.mailed(t))
		status, to = h.post(t, h.manager, pathOf(o)+"/act", with)
	}
	return status, to
}

// TestAct_ends: what ends an order, keeps it, replaces its server or moves it stands on its page where it is possible, and does what
// it says.
func TestAct_ends(t *testing.T) {
	t.Parallel()
	h := start(t)
	now := func(o order.Order) order.Order {
		t.Helper()
		found, err := h.orders.Find(t.Context(), o.ID)
		must(t, err)
		return found
	}
	moved := h.add(t, "First Bakery", "first@example.com", "first", order.PaymentConfirmed)
	if status, _ := h.press(t, moved, "provider", url.Values{"provider": {"pool"}}); status != http.StatusSeeOther ||
		now(moved).Provider != "pool" {
		t.Errorf("moved: %d %+v", status, now(moved))
	}
	stopped := h.walk(t, h.add(t, "Second Bakery", "second@example.com", "second", order.PaymentConfirmed), order.Provisioning)
	if status, _ := h.press(t, stopped, "stop", url.Values{}); status != http.StatusSeeOther || now(stopped).State != order.Stopping {
		t.Errorf("stopped: %d %s", status, now(stopped).State)
	}
	served := h.walk(t, h.add(t, "Third Bakery", "third@example.com", "third", order.PaymentConfirmed), order.Fulfilled)
	if status, _ := h.press(t, served, "end", url.Values{"reason": {"unpaid"}}); status != http.StatusSeeOther {
		t.Errorf("ended: %d", status)
	}
	if o := now(served); o.State != order.Ended || o.EndReason != order.Unpaid ||
		!strings.Contains(h.page(t, pathOf(o)), "The server is released on") {
		t.Errorf("ended: %+v", o)
	}
	if status, _ := h.press(t, served, "keep", url.Values{}); status != http.StatusSeeOther || now(served).State != order.Fulfilled {
		t.Errorf("kept: %d %s", status, now(served).State)
	}
	status, to := h.press(t, served, "replace", url.Values{"provider": {"pool"}})
	if status != http.StatusSeeOther || to == pathOf(served) {
		t.Fatalf("replaced: %d, on to %q", status, to)
	}
	holds(t, "the new order", h.page(t, to), []string{"Sets up the server that replaces", pathOf(served)}, nil)
	if status, _ := h.press(t, served, "end", url.Values{"reason": {"closed"}}); status != http.StatusConflict {
		t.Errorf("ended while it is replaced: %d", status)
	}
}

// TestAlerts: orders that failed and those that take longer than promised are listed, with why; others are not.
func TestAlerts(t *testing.T) {
	t.Parallel()
	h := start(t)
	if text := h.page(t, "/admin/orders/alerts"); !strings.Contains(text, "No order needs us now.") {
		t.Error("an empty page says nothing")
	}
	failed := h.add(t, "Failed Bakery", "failed@example.com", "failed", order.PaymentConfirmed)
	h.fail(t, failed)
	late := h.add(t, "Late Bakery", "late@example.com", "late", order.PaymentConfirmed)
	h.add(t, "Quick Bakery", "quick@example.com", "quick", order.PaymentConfirmed)
	_, err := h.db.Pool.Exec(
		t.Context(),
		"UPDATE orders SET created_at = $2 WHERE id = $1",
		late.ID,
		time.Now().Add(-order.Promise-time.Minute),
	)
	must(t, err)
	text := h.page(t, "/admin/orders/alerts")
	holds(
		t,
		"alerts",
		text,
		[]string{"Failed Bakery", "Late Bakery", "Takes longer than promised", "The payment could not be read.", "2 orders"},
		[]string{"Quick Bakery"},
	)
	holds(t, "the late order", h.page(t, pathOf(late)), []string{"Takes longer than promised"}, nil)
	if status, _ := h.get(t, h.guest, "/admin/orders/alerts"); status == http.StatusOK {
		t.Error("a customer reads the alerts")
	}
}

// TestLog: the log of an order is searched, read page by page and downloaded; what looks like a secret is not in it.
func TestLog(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "Some Bakery", "someone@example.com", "some", order.PaymentConfirmed)
	lines := make([]string, 1200)
	for i := range lines {
		lines[i] = "an ordinary line"
	}
	lines[3] = "100% of the disk"
	lines[7] = "export API_KEY=sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
	must(t, h.orders.Log(t.Context(), o, lines...))
	path := pathOf(o)
	found := h.doc(t, h.staff, path+"?q=100%25")
	if n := found.Find(".log-line").Length(); n != 1 {
		t.Errorf("%d lines found, want 1", n)
	}
	d := h.doc(t, h.staff, path)
	older, ok := d.Find(".log-scroll > a").Attr("href")
	if n := d.Find(".log-line").Length(); n != order.MaxLines || !ok {
		t.Fatalf("%d lines, older at %q", n, older)
	}
	if n := h.doc(t, h.staff, older).Find(".log-line").Length(); n < 200 || n > 210 {
		t.Errorf("%d older lines", n)
	}
	status, whole := h.get(t, h.staff, path+"/log")
	if status != http.StatusOK || strings.Count(whole, "an ordinary line") != 1198 {
		t.Errorf("download: %d with %d lines", status, strings.Count(whole, "\n"))
	}
	holds(t, "the log", whole, []string{"100% of the disk"}, []string{"sk-proj-abcdef"})
	if status, _ := h.get(t, h.staff, path+"?q="+strings.Repeat("x", 101)); status != http.StatusUnprocessableEntity {
		t.Errorf("a long search: %d", status)
	}
}

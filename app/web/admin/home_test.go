package admin_test

import (
	"strings"
	"testing"

	"gatehouse/app/order"
)

// TestHome: what waits for a person stands first, counted by the database, each with a link to the list that shows it, for those who may
// look there; when nothing does, the page says so.
func TestHome(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "Some Bakery", "someone@example.com", "some", order.PaymentConfirmed)
	holds(t, "all is well", h.page(t, "/admin"), []string{"All clear", "Orders in progress", "Some Bakery"}, []string{`id="needs"`, "⟦"})
	exec := func(q string, args ...any) {
		t.Helper()
		_, err := h.db.Pool.Exec(t.Context(), q, args...)
		must(t, err)
	}
	exec("UPDATE orders SET state = 'FAILED', failed_step = 'PAYMENT_CONFIRMED', reason = 'No machine.' WHERE id = $1", o.ID)
	exec("UPDATE servers SET state = 'offline'")
	exec("INSERT INTO river_job (kind, queue, args, max_attempts, state, finalized_at) VALUES ('x', 'mail', '{}', 1, 'discarded', now())")
	d := h.doc(t, h.admin, "/admin")
	for href, want := range map[string]string{
		"/admin/orders?state=FAILED": "1", "/admin/servers?state=offline": "2", "/admin/jobs?state=discarded": "1",
	} {
		if got := d.Find(`#needs a[href="` + href + `"]`); got.Length() != 1 || !strings.Contains(got.Parent().Parent().Text(), want) {
			t.Errorf("%s: %q", href, d.Find("#needs").Text())
		}
	}
	holds(t, "order", d.Text(), []string{"Orders that stopped", "Some Bakery"}, []string{"All clear", "⟦"})
	holds(t, "for support", h.page(t, "/admin"), []string{"/admin/servers?state=offline"}, []string{"/admin/jobs"})
	holds(t, "the list that it leads to", h.page(t, "/admin/orders?state=FAILED"), []string{"Some Bakery"}, []string{"Somebody Else"})
	exec(`UPDATE orders SET created_at = now() - interval '1 day', mode = 'MANUAL', state = 'PAYMENT_CONFIRMED', failed_step = NULL,
		reason = '' WHERE id = $1`, o.ID)
	for _, href := range []string{"/admin/orders?state=LATE", "/admin/orders?mode=MANUAL&amp;state=OPEN"} {
		holds(t, "home", h.page(t, "/admin"), []string{href}, nil)
		holds(t, href, h.page(t, strings.ReplaceAll(href, "&amp;", "&")), []string{"Some Bakery"}, []string{"Somebody Else"})
	}
}

// TestOrders_export: managers take out what the list is narrowed to, on record; support does not.
func TestOrders_export(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "=Some Bakery", "someone@example.com", "some", order.PaymentConfirmed)
	status, _ := h.sends(t, h.staff, "/admin/orders/export", "q", "some")
	if status != 403 {
		t.Errorf("support takes orders out: %d", status)
	}
	status, text := h.sends(t, h.manager, "/admin/orders/export", "q", "=Some", "state", "OPEN")
	if status != 200 || strings.Count(text, "\n") != 2 || !strings.Contains(text, string(o.ID)) ||
		!strings.Contains(text, "'=Some Bakery") {
		t.Errorf("%d: %s", status, text)
	}
	_, record := h.get(t, h.admin, "/admin/audit?action=order.export")
	holds(t, "record", record, []string{"manager@example.com", "OPEN", "Downloaded the list of orders"}, []string{"⟦"})
}

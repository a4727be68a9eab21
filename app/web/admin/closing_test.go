package admin_test

import (
	"net/http"
	"testing"
	"time"

	"gatehouse/app/closing"
	"gatehouse/app/order"
	"gatehouse/db"
)

// TestCustomers_closing: of a customer who left, the page says when the account is erased and what it waits for; afterwards that it was,
// and nothing there can be changed any more.
func TestCustomers_closing(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "Bakery That Left", "left@bakery.example", "left-bakery", order.PaymentConfirmed)
	at := "/admin/customers/" + string(o.CustomerID)
	holds(t, "before", h.page(t, at), []string{"left@bakery.example"}, []string{"This customer left", "Erased on"})
	exec := func(q string, args ...any) {
		t.Helper()
		_, err := h.db.Pool.Exec(t.Context(), q, args...)
		must(t, err)
	}
	exec("ALTER TABLE orders DISABLE TRIGGER orders_guard") // the way of an order is tested elsewhere
	exec(`UPDATE orders SET state = 'RELEASED', server_id = (SELECT id FROM servers WHERE order_id = orders.id), end_reason = 'closed',
		fulfilled_at = now() - interval '40 days', ended_at = now() - interval '39 days', release_at = now() - interval '9 days',
		updated_at = now() - interval '8 days' WHERE id = $1`, o.ID)
	exec("UPDATE servers SET state = 'revoked', revoked_at = now() WHERE order_id = $1", o.ID)
	exec(`INSERT INTO billing_periods (id, customer_id, number, anchor, from_at, to_at, full_to, state, plans, closed_at)
		VALUES (gen_random_uuid(), $1, 1, '2026-03-01Z', '2026-03-01Z', '2026-04-01Z', '2026-04-01Z', 'CLOSED', '[{}]', now())`,
		o.CustomerID)
	holds(t, "who left", h.page(t, at), []string{"This customer left", "a month has no invoice yet"}, []string{"⟦", "Erased on"})
	exec("UPDATE billing_periods SET state = 'WAIVED' WHERE customer_id = $1", o.CustomerID)
	must(t, (&closing.Service{Store: &db.Closing{DB: h.db, Jobs: h}, Now: time.Now}).Close(t.Context(), o.CustomerID))
	_, text := h.get(t, h.admin, at)
	holds(t, "who was erased", text, []string{"Erased customer", "Erased on", "Account erased"}, []string{
		"⟦", "left@bakery.example", "Bakery That Left", "left-bakery", "<textarea", "Invite",
	})
	holds(t, "the list", h.page(t, "/admin/customers"), []string{"Erased customer"}, []string{"left@bakery.example"})
	h.wants(t, http.StatusConflict, h.manager, at+"/notes", "note", "A word.")
	h.wants(t, http.StatusConflict, h.manager, at+"/edit", "name", "Again", "time_zone", "Europe/Vienna")
	_, text = h.get(t, h.admin, at, "Accept-Language", "de")
	holds(t, "in German", text, []string{"Gelöscht am"}, []string{"⟦"})
}

package admin_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/order"
	"gatehouse/app/payment"
	"gatehouse/app/provider/stripepay"
	"gatehouse/db"
)

// payments are those of the test's hub. Nothing asks Stripe here.
func (h *hub) payments() *payment.Service {
	return &payment.Service{
		Store: &db.Payments{DB: h.db, Jobs: h}, Provider: stripepay.New(stripepay.Options{}), Orders: h.orders, Now: time.Now,
	}
}

// TestPayments: staff see what a customer paid, give it back with a reason and no more than that, and let a paused team go on.
func TestPayments(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "The baker", "baker@example.com", "baker", order.Fulfilled)
	page, id := "/admin/customers/"+string(o.CustomerID)+"/payments", uuid.NewString()
	exec := func(q string, args ...any) {
		t.Helper()
		_, err := h.db.Pool.Exec(t.Context(), q, args...)
		must(t, err)
	}
	checkout := uuid.NewString()
	exec(`INSERT INTO pending_checkouts (id, customer_id, ordered_by, choice, price, currency, state, order_id, created_at)
		SELECT $1, customer_id, ordered_by, '{}', 4500, 'EUR', 'ordered', id, now() FROM orders WHERE id = $2`, checkout, o.ID)
	exec(`INSERT INTO payments (id, customer_id, checkout_id, order_id, amount, currency, state, intent, created_at, updated_at, paid_at)
		VALUES ($1, $2, $3, $4, 4500, 'EUR', 'paid', 'pi_1', now(), now(), now())`, id, o.CustomerID, checkout, o.ID)
	exec(`INSERT INTO stripe_events (id, kind, object, object_id, intent, payer, made_at, raw, received_at)
		VALUES ('evt_1', 'charge.succeeded', 'charge', 'ch_1', 'pi_1', '', now(), 'x', now())`)
	if status, _ := h.get(t, h.staff, page); status != http.StatusForbidden {
		t.Errorf("without the right: %d", status)
	}
	if lead := h.doc(t, h.manager, "/admin/customers/"+string(o.CustomerID)).Find("a[href='" + page + "']"); lead.Length() != 1 {
		t.Error("the page of the customer does not lead there")
	}
	if _, err := h.payments().SheetOf(t.Context(), o.CustomerID); err != nil {
		t.Fatal(err)
	}
	doc := h.doc(t, h.manager, page)
	holds(t, "the payments", doc.Find("main").Text(), []string{"45.00 €", "pi_1", "charge.succeeded", "Waiting", "No refunds yet"}, nil)
	if doc.Find("#refund-form").Length() != 0 {
		t.Error("a manager is offered to refund")
	}
	refund := func(amount, reason string) int {
		status, _ := h.send(t, h.admin, page+"/refund", url.Values{"payment": {id}, "amount": {amount}, "reason": {reason}})
		return status
	}
	for _, c := range []struct {
		amount, reason string
		want           int
	}{{"x", "ill", 422}, {"1.234", "ill", 422}, {"10", "", 422}, {"45,01", "ill", 409}, {"10,50", "ill", 303}, {"34.51", "ill", 409}} {
		if got := refund(c.amount, c.reason); got != c.want {
			t.Errorf("%s because %q: %d, want %d", c.amount, c.reason, got, c.want)
		}
	}
	ask := url.Values{"payment": {id}, "amount": {"1"}, "reason": {"ill"}}
	if status, _ := h.send(t, h.manager, page+"/refund", ask); status != http.StatusForbidden {
		t.Errorf("a manager refunds: %d", status)
	}
	back := h.doc(t, h.admin, page).Find("#refunds-panel").Text()
	holds(t, "after the refund", back, []string{"10.50 €", "By staff: ill", "On its way"}, nil)
	unpaid := uuid.NewString()
	exec(`INSERT INTO dunnings (id, customer_id, payment_id, state, since, paused_at) VALUES ($1, $2, $3, 'paused', now(), now())`,
		unpaid, o.CustomerID, id)
	holds(t, "paused", h.doc(t, h.admin, page).Find("main").Text(), []string{"a bank took a payment back"}, nil)
	forgive := url.Values{"unpaid": {unpaid}, "why": {"we spoke"}}
	if status, text := h.send(t, h.admin, page+"/forgive", forgive); status != http.StatusSeeOther {
		t.Errorf("forgive: %d %s", status, text)
	}
	if err := h.payments().Paused(t.Context(), o.CustomerID); err != nil {
		t.Errorf("still paused: %v", err)
	}
}

package jobs_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"gatehouse/app/payment"
	"gatehouse/app/provider/stripepay/stripetest"
)

// TestPayersLeft: who was erased is deleted at Stripe too, once, also when Stripe is away, its answer is lost, or somebody has deleted
// them there by hand. What Stripe reports about them later is kept without its words.
func TestPayersLeft(t *testing.T) {
	t.Parallel()
	w := newTill(t)
	u, _ := w.paid()
	payer := w.payer(u)
	gone := func() int {
		n, err := w.pay.RemoveLeft(t.Context())
		if err != nil && !errors.Is(err, payment.ErrAway) {
			t.Fatal(err)
		}
		return n
	}
	if n := gone(); n != 0 || w.stripe.Asked("DELETE ") != 0 {
		t.Errorf("%d removed while nobody was erased", n)
	}
	left := func(id string) {
		t.Helper()
		const q = "INSERT INTO payers_left (provider_id, customer_id, asked_at) VALUES ($1, $2, now())"
		if _, err := w.db.Pool.Exec(t.Context(), q, id, u.CustomerID); err != nil {
			t.Fatal(err)
		}
	}
	left(payer)
	left("cus_deleted_by_hand")
	w.stripe.Away(true)
	if n := gone(); n != 0 {
		t.Errorf("%d removed while Stripe is away", n)
	}
	w.stripe.Away(false)
	w.stripe.Fail(stripetest.Fault{Method: http.MethodDelete, Path: "/v1/customers/" + payer, Does: true})
	n := gone() + gone() + gone()
	if n != 2 || w.stripe.Asked("DELETE /v1/customers/"+payer) < 2 {
		t.Errorf("%d removed, asked %d times", n, w.stripe.Asked("DELETE "))
	}
	before := w.stripe.Asked("DELETE ")
	if n := gone(); n != 0 || w.stripe.Asked("DELETE ") != before {
		t.Errorf("%d removed once more", n)
	}
	if got := w.text("SELECT count(*)::text FROM payers_left WHERE removed_at IS NULL"); got != "0" {
		t.Errorf("%s wait", got)
	}
	w.told()
	const kept = "SELECT string_agg(payer || convert_from(raw, 'UTF8'), ' ') FROM stripe_events WHERE kind = 'customer.deleted'"
	if got := w.text(kept); got != "{}" {
		t.Errorf("kept of what was reported later: %s", got)
	}
	if got := w.text("SELECT string_agg(convert_from(raw, 'UTF8'), ' ') FROM stripe_events"); !strings.Contains(got, payer) {
		t.Error("what was reported before is not there, so nothing is shown")
	}
}

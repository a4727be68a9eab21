package jobs_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/order"
	"gatehouse/app/payment"
	"gatehouse/app/provider/stripepay/stripetest"
	"gatehouse/app/staff"
)

// boss is one of our staff who may give money back.
var boss = audit.Actor{Kind: audit.Staff, ID: uuid.NewString(), Name: "boss@example.com", Role: string(staff.Owner)}

// restored puts the database back to before an invoice was issued, as a back-up of yesterday does.
func (w *billed) restored(id billing.InvoiceID) {
	w.t.Helper()
	tx, err := w.db.Pool.Begin(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(w.t.Context()) }()
	var period string
	if err := tx.QueryRow(w.t.Context(), "SELECT period_id::text FROM invoices WHERE id = $1", id).Scan(&period); err != nil {
		w.t.Fatal(err)
	}
	for _, q := range []struct{ sql, of string }{
		{"SET LOCAL session_replication_role = replica", ""},
		{"DELETE FROM dunnings WHERE invoice_id = $1", string(id)},
		{"DELETE FROM payments WHERE invoice_id = $1", string(id)},
		{"DELETE FROM invoices WHERE id = $1", string(id)},
		{"DELETE FROM billing_periods WHERE id = $1", period},
	} {
		var args []any
		if q.of != "" {
			args = append(args, q.of)
		}
		if _, err := tx.Exec(w.t.Context(), q.sql, args...); err != nil {
			w.t.Fatalf("%s: %v", q.sql, err)
		}
	}
	if err := tx.Commit(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// TestCollect_afterARestore: an invoice that was charged after the back-up is not charged again. It is issued anew under another id, and
// counts as paid with what Stripe has, also when it took more than one try, or a page.
func TestCollect_afterARestore(t *testing.T) {
	t.Parallel()
	for name, pays := range map[string]func(w *billed, id billing.InvoiceID){
		"at once": func(w *billed, id billing.InvoiceID) { w.collect(id) },
		"a second try": func(w *billed, id billing.InvoiceID) {
			w.stripe.Bank(w.payer, "insufficient_funds")
			w.collect(id)
			w.stripe.Bank(w.payer, "")
			w.days(1)
		},
		"on a page": func(w *billed, id billing.InvoiceID) {
			if _, err := w.pay.PayInvoice(w.t.Context(), w.u, id); err != nil {
				w.t.Fatal(err)
			}
			sessions := w.stripe.Sessions()
			w.paysAt(sessions[len(sessions)-1], stripetest.ByCard)
			w.told()
		},
	} {
		for _, forgotten := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := settled(t)
				before := w.stripe.Taken(w.payer)
				id := w.invoice(54_00)
				pays(w, id)
				if w.state(id) != billing.Paid || w.stripe.Taken(w.payer)-before != 54_00 {
					t.Fatalf("at first: %s", w.state(id))
				}
				w.restored(id)
				w.late = 5 * time.Hour // the order is ended again, later than before
				if forgotten {
					w.stripe.ForgetKeys()
				}
				asked := w.stripe.Asked("POST /v1/payment_intents")
				again := w.invoice(54_00)
				w.collect(again)
				w.days(8)
				if w.state(again) != billing.Paid || w.paused() {
					t.Errorf("after the restore: %s, paused %t", w.state(again), w.paused())
				}
				if taken := w.stripe.Taken(w.payer) - before; taken != 54_00 || w.stripe.Asked("POST /v1/payment_intents") != asked {
					t.Errorf("taken %d cents, asked %d times more", taken, w.stripe.Asked("POST /v1/payment_intents")-asked)
				}
				w.told() // what Stripe has reported of the payment finds it again
			})
		}
	}
}

// TestPayment_keyGone: where money was taken once, the built-in test checkout completes nothing, whatever became of the key. A hub that
// never took any may use it.
func TestPayment_keyGone(t *testing.T) {
	t.Parallel()
	w := newTill(t)
	gone := *w.pay
	gone.Provider = noKey{w.pay.Provider}
	if err := gone.MayTest(t.Context()); err != nil {
		t.Errorf("a new hub: %v", err)
	}
	w.paid()
	if err := gone.MayTest(t.Context()); !errors.Is(err, payment.ErrKeyGone) {
		t.Errorf("after a payment: %v", err)
	}
	if err := w.pay.MayTest(t.Context()); !errors.Is(err, payment.ErrKeyGone) {
		t.Errorf("with a key: %v", err)
	}
	orders := *w.orders
	orders.TestPays = gone.MayTest
	u := w.newcomer()
	if _, err := orders.Create(t.Context(), u.CustomerID, u, order.Choice{Plan: "build"}); !errors.Is(err, payment.ErrKeyGone) {
		t.Errorf("an order without money: %v", err)
	}
	if _, err := orders.Of(t.Context(), u.CustomerID); err == nil {
		t.Error("the order was made")
	}
}

// noKey is the provider without its key.
type noKey struct{ payment.Provider }

func (noKey) Ready() bool { return false }

// TestCollect_refundedOrder: of an order that was refunded whole nothing is charged any more, not even what was invoiced before.
func TestCollect_refundedOrder(t *testing.T) {
	t.Parallel()
	w := settled(t)
	id := w.invoice(54_00)
	if _, err := w.orders.End(t.Context(), w.u.CustomerID, w.o.ID, order.Refunded, audit.Itself); err != nil {
		t.Fatal(err)
	}
	before := w.stripe.Taken(w.payer)
	w.collect(id)
	w.days(9)
	if w.stripe.Taken(w.payer) != before || w.state(id) != billing.Uncollectible || w.paused() || w.letters("payment_failed") != "0" {
		t.Errorf("taken %d, invoice %s, paused %t", w.stripe.Taken(w.payer)-before, w.state(id), w.paused())
	}
}

// TestCollect_oursIsNotDunned: what Stripe does not take because of a fault of ours is nothing that the customer is dunned for; it is
// tried again, and paid when the fault is gone.
func TestCollect_oursIsNotDunned(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 404} {
		w := settled(t)
		w.clerk()
		id := w.invoice(54_00)
		w.stripe.Fail(stripetest.Fault{Method: "POST", Path: "/v1/payment_intents", Status: status})
		if err := w.pay.Collect(t.Context(), id); !errors.Is(err, payment.ErrOurs) {
			t.Fatalf("%d: %v", status, err)
		}
		w.days(8)
		if i, err := w.bills.Invoice(t.Context(), id); err != nil || i.FailedWhy != "" || w.paused() || w.letters("payment_failed") != "0" {
			t.Errorf("%d: %q, paused %t, %v", status, i.FailedWhy, w.paused(), err)
		}
		if w.letters("payment_help") != "1" {
			t.Errorf("%d: %s letters to staff", status, w.letters("payment_help"))
		}
		w.collect(id)
		if w.state(id) != billing.Paid {
			t.Errorf("%d: once the fault is gone: %s", status, w.state(id))
		}
	}
}

// TestCollect_oursRests: a fault of ours is tried once a day, however often somebody asks, and pauses nobody who was dunned before.
func TestCollect_oursRests(t *testing.T) {
	t.Parallel()
	w := settled(t)
	w.clerk()
	id := w.invoice(54_00)
	w.stripe.Bank(w.payer, "insufficient_funds")
	w.collect(id)
	w.days(5)
	w.pass(49 * time.Hour)
	w.stripe.Fail(stripetest.Fault{Method: "POST", Path: "/v1/payment_intents", Status: 400})
	var later *payment.LaterError
	if _, err := w.pay.Dun(t.Context()); !errors.As(err, &later) || later.After != 24*time.Hour {
		t.Fatalf("%v", err)
	}
	asked := w.stripe.Asked("POST /v1/payment_intents")
	w.dun()
	w.collect(id)
	if w.paused() || w.stripe.Asked("POST /v1/payment_intents") != asked || w.letters("payment_help") != "1" {
		t.Errorf("paused %t, asked %d times more, %s letters", w.paused(), w.stripe.Asked("POST /v1/payment_intents")-asked,
			w.letters("payment_help"))
	}
	w.stripe.Bank(w.payer, "")
	w.days(2)
	if w.paused() || w.state(id) != billing.Paid {
		t.Errorf("a day later: paused %t, invoice %s", w.paused(), w.state(id))
	}
}

// TestCollect_missed: an open invoice whose job has given up gets another one, once.
func TestCollect_missed(t *testing.T) {
	t.Parallel()
	w := settled(t)
	id := w.invoice(54_00)
	queued := func() string {
		return w.text(`SELECT count(*)::text FROM river_job WHERE kind = 'collect_invoice' AND state <> 'discarded'
			AND args->>'invoice_id' = $1`, string(id))
	}
	missed := func(want int) {
		t.Helper()
		if n, err := w.pay.CollectMissed(t.Context()); err != nil || n != want {
			t.Errorf("%d queued, want %d: %v", n, want, err)
		}
	}
	missed(1)
	missed(0)
	w.exec("UPDATE river_job SET state = 'discarded', finalized_at = now() WHERE kind = 'collect_invoice'")
	if queued() != "0" {
		t.Fatal("the job has not given up")
	}
	missed(1)
	if queued() != "1" {
		t.Errorf("%s jobs", queued())
	}
	w.exec("UPDATE river_job SET state = 'discarded', finalized_at = now() WHERE kind = 'collect_invoice'")
	w.stripe.Bank(w.payer, "insufficient_funds")
	w.collect(id)
	missed(0) // it is dunned
	w.stripe.Bank(w.payer, "")
	w.days(1)
	missed(0) // it is paid
}

// TestCollect_small: less than Stripe takes is not asked for; the invoice is settled and says how.
func TestCollect_small(t *testing.T) {
	t.Parallel()
	w := settled(t)
	small, least := w.invoice(49), w.invoice(50)
	before, asked := w.stripe.Taken(w.payer), w.stripe.Asked("POST /v1/payment_intents")
	w.collect(small)
	if i, err := w.bills.Invoice(t.Context(), small); err != nil || i.State != billing.Paid || i.PaidBy != billing.PaidBySmall {
		t.Errorf("%+v, %v", i, err)
	}
	if w.stripe.Asked("POST /v1/payment_intents") != asked {
		t.Error("Stripe was asked for it")
	}
	w.collect(least)
	if w.state(least) != billing.Paid || w.stripe.Taken(w.payer)-before != 50 {
		t.Errorf("50 cents: %s, taken %d", w.state(least), w.stripe.Taken(w.payer)-before)
	}
}

// TestRefund_failsLater: a refund that the bank sends back days later is none: the refund and its credit note say so, once.
func TestRefund_failsLater(t *testing.T) {
	t.Parallel()
	w := settled(t)
	w.clerk()
	id := w.invoice(60_00)
	w.collect(id)
	n, err := w.bills.Credit(t.Context(), id, 60_00, "they were ill", boss)
	if err == nil {
		err = w.pay.Refund(t.Context(), n.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.refunded()
	w.told()
	if n, err = w.bills.CreditNote(t.Context(), n.ID); err != nil || n.RefundedAt.IsZero() {
		t.Fatalf("at first: %+v, %v", n, err)
	}
	intents := w.stripe.Intents()
	w.stripe.FailRefund(intents[len(intents)-1], "expired_or_canceled_card")
	for range 2 {
		w.told()
	}
	if n, err = w.bills.CreditNote(t.Context(), n.ID); err != nil || !n.RefundedAt.IsZero() || n.FailedAt.IsZero() {
		t.Errorf("the credit note: %+v, %v", n, err)
	}
	if w.letters("payment_help") != "1" {
		t.Errorf("%s letters to staff", w.letters("payment_help"))
	}
	const failed = "SELECT state || ' ' || code FROM refunds WHERE credit_id = $1"
	if got := w.text(failed, string(n.ID)); got != "failed expired_or_canceled_card" {
		t.Errorf("the refund: %s", got)
	}
	if got := w.text("SELECT count(*)::text FROM audit_log WHERE action = 'invoice.refund_failed'"); got != "1" {
		t.Errorf("on record %s times", got)
	}
	err = w.pay.Refund(t.Context(), n.ID)
	if got := w.text("SELECT count(*)::text FROM refunds WHERE credit_id = $1", string(n.ID)); err != nil || got != "1" {
		t.Errorf("given back %s times, %v", got, err)
	}
}

// TestCatchUp_cursor: an event that was sent to us after those that were missed does not hide them, nor does a list that broke off.
func TestCatchUp_cursor(t *testing.T) {
	t.Parallel()
	w := newTill(t)
	tenth := *w.pay // whose clock shows the minutes in which it is asked
	tenth.Now = func() time.Time { return w.now().Truncate(10 * time.Minute) }
	catchUp := func() (int, error) { return tenth.CatchUp(t.Context()) }
	if _, err := catchUp(); err != nil {
		t.Fatal(err)
	}
	u := w.newcomer()
	w.paysAt(w.page(u), stripetest.ByCard) // nothing of this is sent
	w.pass(3 * time.Hour)
	v := w.newcomer()
	w.paysAt(w.page(v), stripetest.ByCard)
	all := w.stripe.Events()
	w.event(all[len(all)-1]) // the way in is back
	w.stripe.Fail(stripetest.Fault{Path: "/v1/events"})
	if _, err := catchUp(); !errors.Is(err, payment.ErrAway) {
		t.Errorf("a list that broke off: %v", err)
	}
	n, err := catchUp()
	if err != nil || n != len(all)-1 {
		t.Errorf("%d of %d events, %v", n, len(all)-1, err)
	}
	if n, err := catchUp(); err != nil || n != 0 {
		t.Errorf("%d again, %v", n, err)
	}
}

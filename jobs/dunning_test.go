package jobs_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/order"
	"gatehouse/app/payment"
	"gatehouse/app/pricing"
	"gatehouse/app/provider/stripepay/stripetest"
	"gatehouse/app/staff"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// billed is a till with a customer whose server works, who paid for the first month, and who gets invoices.
type billed struct {
	*till
	u     account.User
	o     order.Order
	payer string
	bills *billing.Service
	late  time.Duration // how much longer than a month those are that are invoiced
}

func newBilled(t *testing.T) *billed {
	t.Helper()
	w := &billed{till: newTill(t)}
	w.bills = &billing.Service{Store: &db.Billing{DB: w.db, Jobs: dbtest.NoJobs{}}, Now: w.now}
	w.pay.Invoices = w.bills
	w.u, w.o = w.paid()
	w.payer = w.till.payer(w.u)
	if _, err := w.db.Pool.Exec(t.Context(), `INSERT INTO servers (id, customer_id, order_id, slug, provider, state, created_at)
		VALUES (gen_random_uuid(), $1, $2, 'x', 'local', 'new', now())`, w.u.CustomerID, w.o.ID); err != nil {
		t.Fatal(err)
	}
	for _, s := range order.Path()[1:] {
		if _, err := w.db.Pool.Exec(t.Context(), `UPDATE orders SET state = $1, server_id = (SELECT id FROM servers),
			fulfilled_at = CASE WHEN $1 = 'FULFILLED' THEN now() END`, s); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// months counts the invoices that were made.
func (w *billed) months() int {
	var n int
	if err := w.db.Pool.QueryRow(w.t.Context(), "SELECT count(*) FROM invoices").Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// invoice issues one over an amount.
func (w *billed) invoice(total pricing.Cents) billing.InvoiceID {
	w.t.Helper()
	n := w.months()
	store := &db.Billing{DB: w.db, Jobs: dbtest.NoJobs{}}
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, n, 0)
	p := billing.Period{
		ID: billing.PeriodID(uuid.NewString()), CustomerID: w.u.CustomerID, Number: n + 1, Anchor: from,
		From: from, To: from.AddDate(0, 1, 0).Add(w.late),
		FullTo: from.AddDate(0, 1, 0).Add(w.late), State: billing.Active, Multiplier: 1,
		Plans: []billing.Span{{Plan: pricing.Build, Name: "Build", Monthly: 45_00, Pool: 1, From: from}},
	}
	if ok, err := store.Begin(w.t.Context(), p); err != nil || !ok {
		w.t.Fatal(ok, err)
	}
	if _, err := store.ChangePeriod(w.t.Context(), p.ID, func(_ context.Context, p *billing.Period) (*billing.Period, error) {
		p.State, p.ClosedAt = billing.Closed, p.To
		return nil, nil
	}); err != nil {
		w.t.Fatal(err)
	}
	issued, err := store.Issue(w.t.Context(), []billing.Issue{{Invoice: billing.Invoice{
		ID: billing.InvoiceID(uuid.NewString()), CustomerID: p.CustomerID, PeriodID: p.ID, From: p.From, To: p.To, Net: total, Total: total,
		Currency: pricing.Currency, State: billing.Open, IssuedAt: p.To, DueAt: p.To.AddDate(0, 0, 14), Lines: []billing.Line{},
	}}})
	if err != nil || len(issued) != 1 {
		w.t.Fatal(issued, err)
	}
	return issued[0].ID
}

func (w *billed) collect(id billing.InvoiceID) {
	w.t.Helper()
	if err := w.pay.Collect(w.t.Context(), id); err != nil {
		w.t.Fatal(err)
	}
}

func (w *billed) state(id billing.InvoiceID) billing.State {
	w.t.Helper()
	i, err := w.bills.Invoice(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return i.State
}

// days lets days pass, and has the hub do each day what it does each minute.
func (w *billed) days(n int) {
	w.t.Helper()
	for range n {
		w.pass(24 * time.Hour)
		w.dun()
	}
}

func (w *billed) dun() {
	w.t.Helper()
	for range 2 {
		if _, err := w.pay.Dun(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
		if _, err := w.pay.Recover(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *billed) paused() bool {
	w.t.Helper()
	err := w.pay.Paused(w.t.Context(), w.u.CustomerID)
	if err != nil && !errors.Is(err, payment.ErrPaused) {
		w.t.Fatal(err)
	}
	return err != nil
}

func (w *billed) letters(kind string) string {
	w.t.Helper()
	return w.text("SELECT count(*)::text FROM river_job WHERE args->>'template' = $1", kind)
}

// settled is a customer whose first invoice is paid.
func settled(t *testing.T) *billed {
	t.Helper()
	w := newBilled(t)
	w.collect(w.invoice(45_00))
	return w
}

// TestCollect_theFirstMonthCounts: what was paid before the order is set against the first invoice, to the cent, and only once.
func TestCollect_theFirstMonthCounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ total, taken, back pricing.Cents }{
		"as much": {45_00, 45_00, 0}, "more, with tax and overage": {61_17, 61_17, 0}, "less": {20_00, 20_00, 25_00},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newBilled(t)
			first := w.invoice(c.total)
			for range 3 {
				w.collect(first)
			}
			w.refunded()
			if got := w.stripe.Taken(w.payer); got != int64(c.taken) || w.state(first) != billing.Paid {
				t.Errorf("taken %d cents, invoice %s", got, w.state(first))
			}
			second := w.invoice(54_00)
			w.collect(second)
			w.told()
			if got := w.stripe.Taken(w.payer); got != int64(c.taken)+54_00 || w.state(second) != billing.Paid {
				t.Errorf("after the second: taken %d cents, invoice %s", got, w.state(second))
			}
		})
	}
}

// TestCollect_once: however often, from however many workers, and wherever one of them is killed: the money is taken once.
func TestCollect_once(t *testing.T) {
	t.Parallel()
	w := settled(t)
	before := w.stripe.Taken(w.payer)
	id := w.invoice(54_00)
	w.stripe.Fail(stripetest.Fault{Path: "/v1/payment_intents", Does: true}) // charged, and the worker never heard of it
	if err := w.pay.Collect(t.Context(), id); !errors.Is(err, payment.ErrAway) {
		t.Fatalf("%v", err)
	}
	w.stripe.ForgetKeys() // and it was down for more than a day
	w.pass(30 * time.Hour)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := w.pay.Collect(context.Background(), id); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := w.stripe.Taken(w.payer) - before; got != 54_00 || w.state(id) != billing.Paid {
		t.Errorf("taken %d cents, invoice %s", got, w.state(id))
	}
	third := w.invoice(54_00)
	for range 8 {
		wg.Go(func() {
			if err := w.pay.Collect(context.Background(), third); err != nil && !errors.Is(err, payment.ErrAway) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	w.collect(third)
	if got := w.stripe.Taken(w.payer) - before; got != 108_00 || w.state(third) != billing.Paid {
		t.Errorf("taken %d cents, invoice %s", got, w.state(third))
	}
}

// TestDunning_toTheEnd: retries on days 1, 3, 5 and 7, then the team is paused, then the last word, then the order ends unpaid; and who
// pays even then keeps the server.
func TestDunning_toTheEnd(t *testing.T) {
	t.Parallel()
	w := settled(t)
	id := w.invoice(54_00)
	w.stripe.Bank(w.payer, "insufficient_funds")
	w.collect(id)
	w.collect(id)
	tries := func() int { return w.stripe.Asked("POST /v1/payment_intents") }
	if tries() != 1 || w.letters("payment_failed") != "1" || w.paused() {
		t.Errorf("at first: %d tries, %s letters, paused: %t", tries(), w.letters("payment_failed"), w.paused())
	}
	if i, err := w.bills.Invoice(t.Context(), id); err != nil || i.FailedWhy != "There was not enough money on the account." {
		t.Errorf("why: %q, %v", i.FailedWhy, err)
	}
	for day, want := range []int{2, 2, 3, 3, 4, 4, 5} {
		w.days(1)
		if tries() != want {
			t.Errorf("day %d: %d tries, want %d", day+1, tries(), want)
		}
		if day < 6 && w.paused() {
			t.Errorf("paused on day %d", day+1)
		}
	}
	w.dun()
	if !w.paused() || w.letters("payment_paused") != "1" {
		t.Errorf("after seven days: paused %t, %s letters", w.paused(), w.letters("payment_paused"))
	}
	w.days(22)
	if w.letters("payment_last") != "0" {
		t.Error("the last word came early")
	}
	w.days(2)
	if w.letters("payment_last") != "1" {
		t.Error("no last word")
	}
	w.days(5)
	if o, err := w.orders.Of(t.Context(), w.u.CustomerID); err != nil || o.State != order.Fulfilled {
		t.Errorf("ended early: %s, %v", o.State, err)
	}
	w.days(2)
	o, err := w.orders.Of(t.Context(), w.u.CustomerID)
	if err != nil || o.State != order.Ended || o.EndReason != order.Unpaid || w.state(id) != billing.Uncollectible || tries() != 5 {
		t.Errorf("in the end: %s %s, invoice %s, %d tries, %v", o.State, o.EndReason, w.state(id), tries(), err)
	}
	url, err := w.pay.PayInvoice(t.Context(), w.u, id)
	if err != nil || url == "" {
		t.Fatalf("%q, %v", url, err)
	}
	sessions := w.stripe.Sessions()
	w.paysAt(sessions[len(sessions)-1], stripetest.ByCard)
	w.told()
	w.dun()
	o, err = w.orders.Of(t.Context(), w.u.CustomerID)
	if err != nil || o.State != order.Fulfilled || w.paused() || w.state(id) != billing.Paid {
		t.Errorf("paid after all: %s, paused %t, invoice %s, %v", o.State, w.paused(), w.state(id), err)
	}
}

// TestDunning_recovers: another card ends the pause at once, without anybody pressing anything.
func TestDunning_recovers(t *testing.T) {
	t.Parallel()
	w := settled(t)
	before := w.stripe.Taken(w.payer)
	id := w.invoice(54_00)
	w.stripe.Bank(w.payer, "expired_card")
	w.collect(id)
	w.days(9)
	if !w.paused() {
		t.Fatal("not paused")
	}
	w.stripe.Bank(w.payer, "")
	w.stripe.NewCard(w.payer)
	w.told()
	w.dun()
	if w.paused() || w.state(id) != billing.Paid || w.stripe.Taken(w.payer)-before != 54_00 {
		t.Errorf("paused %t, invoice %s, taken %d", w.paused(), w.state(id), w.stripe.Taken(w.payer)-before)
	}
}

// TestDunning_credited: who owes nothing any more, because our staff took the invoice back, is neither paused nor loses the order.
func TestDunning_credited(t *testing.T) {
	t.Parallel()
	w := settled(t)
	id := w.invoice(54_00)
	w.stripe.Bank(w.payer, "expired_card")
	w.collect(id)
	w.days(2)
	boss := audit.Actor{Kind: audit.Staff, ID: uuid.NewString(), Name: "boss@example.com", Role: string(staff.Owner)}
	if _, err := w.bills.Credit(t.Context(), id, 54_00, "they were ill", boss); err != nil {
		t.Fatal(err)
	}
	w.days(45)
	if w.paused() || w.letters("payment_paused") != "0" || w.letters("payment_last") != "0" {
		t.Errorf("paused %t, letters %s and %s", w.paused(), w.letters("payment_paused"), w.letters("payment_last"))
	}
	if d, open, err := w.pay.Unpaid(t.Context(), w.u.CustomerID); err != nil || open {
		t.Errorf("still dunned: %+v, %v", d, err)
	}
}

// TestDunning_creditedLater: it is the same for a team that is paused already, and for an order that has ended: both go on.
func TestDunning_creditedLater(t *testing.T) {
	t.Parallel()
	for name, days := range map[string]int{"paused": 10, "ended": 40} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := settled(t)
			id := w.invoice(54_00)
			w.stripe.Bank(w.payer, "expired_card")
			w.collect(id)
			w.days(days)
			if got := w.text("SELECT state FROM dunnings"); got != name || !w.paused() {
				t.Fatalf("dunning %s, paused %t", got, w.paused())
			}
			if _, err := w.bills.Credit(t.Context(), id, 54_00, "they were ill", boss); err != nil {
				t.Fatal(err)
			}
			w.dun()
			o, err := w.orders.Of(t.Context(), w.u.CustomerID)
			if err != nil || w.paused() || o.State != order.Fulfilled {
				t.Errorf("paused %t, order %s, %v", w.paused(), o.State, err)
			}
		})
	}
}

// TestDunning_refundedWhilePaused: who got the whole order back while the team was paused owes nothing, and is not threatened.
func TestDunning_refundedWhilePaused(t *testing.T) {
	t.Parallel()
	w := settled(t)
	id := w.invoice(54_00)
	w.stripe.Bank(w.payer, "expired_card")
	w.collect(id)
	w.days(10)
	if _, err := w.orders.End(t.Context(), w.u.CustomerID, w.o.ID, order.Refunded, audit.Itself); err != nil {
		t.Fatal(err)
	}
	w.dun()
	if w.paused() || w.state(id) != billing.Uncollectible {
		t.Errorf("paused %t, invoice %s", w.paused(), w.state(id))
	}
	w.days(40)
	if w.letters("payment_last") != "0" {
		t.Error("told that the order ends")
	}
}

// TestDunning_afterTheEnd: who left and does not pay the last invoice is not told that the order ends; the invoice is given up, and the
// customer cannot go on before it is paid.
func TestDunning_afterTheEnd(t *testing.T) {
	t.Parallel()
	w := settled(t)
	id := w.invoice(54_00)
	w.stripe.Bank(w.payer, "expired_card")
	if _, err := w.orders.End(t.Context(), w.u.CustomerID, w.o.ID, order.Closed, audit.Itself); err != nil {
		t.Fatal(err)
	}
	w.collect(id)
	w.orders.MayKeep = w.pay.MayKeep
	me := audit.Actor{Kind: audit.User, ID: string(w.u.ID), Name: w.u.Email}
	w.days(10)
	if _, err := w.orders.Keep(t.Context(), w.u.CustomerID, w.o.ID, me); !errors.Is(err, payment.ErrOwes) {
		t.Errorf("kept without paying: %v", err)
	}
	w.days(30)
	if w.letters("payment_last") != "0" || w.state(id) != billing.Uncollectible || w.text("SELECT state FROM dunnings") != "ended" {
		t.Errorf("%s letters, invoice %s", w.letters("payment_last"), w.state(id))
	}
	w.exec("UPDATE dunnings SET closed_at = now()")
	if o, err := w.orders.Keep(t.Context(), w.u.CustomerID, w.o.ID, me); err != nil || o.State != order.Fulfilled {
		t.Errorf("once it is paid: %s, %v", o.State, err)
	}
}

// exec changes the database behind the hub's back.
func (w *billed) exec(q string, args ...any) {
	w.t.Helper()
	if _, err := w.db.Pool.Exec(w.t.Context(), q, args...); err != nil {
		w.t.Fatal(err)
	}
}

// TestDunning_lateDebit: a direct debit that fails after five days is an invoice that was not paid; until then nobody is paused.
func TestDunning_lateDebit(t *testing.T) {
	t.Parallel()
	w := newBilled(t)
	// The first payment was by card; from now on the account is charged.
	w.collect(w.invoice(45_00))
	u := w.u
	id := w.invoice(54_00)
	url, err := w.pay.PayInvoice(t.Context(), u, id)
	if err != nil || url == "" {
		t.Fatal(url, err)
	}
	sessions := w.stripe.Sessions()
	w.paysAt(sessions[len(sessions)-1], stripetest.ByDebit)
	w.told()
	w.collect(id) // while the bank is at it
	if n := w.stripe.Asked("POST /v1/payment_intents"); n != 0 {
		t.Errorf("asked for again while the bank is at it: %d times", n)
	}
	w.days(5)
	intents := w.stripe.Intents()
	w.stripe.Settle(intents[len(intents)-1], false)
	w.told()
	if w.letters("payment_failed") != "1" || w.paused() || w.state(id) != billing.Open {
		t.Errorf("%s letters, paused %t, invoice %s", w.letters("payment_failed"), w.paused(), w.state(id))
	}
	w.days(8)
	if d, open, err := w.pay.Unpaid(t.Context(), u.CustomerID); err != nil || !open || d.InvoiceID != string(id) {
		t.Errorf("%+v, %t, %v", d, open, err)
	}
	got := w.text("SELECT state FROM payments WHERE invoice_id = $1 ORDER BY id DESC LIMIT 1", string(id))
	if got != "processing" || w.paused() {
		t.Errorf("the next debit is %s, paused %t", got, w.paused())
	}
	intents = w.stripe.Intents()
	w.stripe.Settle(intents[len(intents)-1], true)
	w.told()
	w.dun()
	if w.state(id) != billing.Paid || w.paused() {
		t.Errorf("the bank has paid: invoice %s, paused %t", w.state(id), w.paused())
	}
}

// TestDunning_noCard: an invoice without a means of payment is not paid, and said so.
func TestDunning_noCard(t *testing.T) {
	t.Parallel()
	w := settled(t)
	if _, err := w.db.Pool.Exec(t.Context(), "DELETE FROM payers"); err != nil {
		t.Fatal(err)
	}
	id := w.invoice(54_00)
	w.collect(id)
	if i, err := w.bills.Invoice(t.Context(), id); err != nil || i.FailedWhy != "There is no card on file." || i.State != billing.Open {
		t.Errorf("%+v, %v", i, err)
	}
	w.days(8)
	if !w.paused() {
		t.Error("not paused")
	}
}

// clerk is one of our staff, who is mailed about payments.
func (w *billed) clerk() {
	w.t.Helper()
	const clerk = `INSERT INTO staff (id, email, email_folded, name, role, password_hash, totp_secret, created_at) SELECT gen_random_uuid(),
		'clerk@example.com', 'clerk@example.com', 'Clerk', 'OWNER', password_hash, '\x00', now() FROM users`
	if _, err := w.db.Pool.Exec(w.t.Context(), clerk); err != nil {
		w.t.Fatal(err)
	}
}

// TestDispute_untilItIsLost: staff hear of a dispute at once; the team works on until it is lost, and staff may let it go on even then.
func TestDispute_untilItIsLost(t *testing.T) {
	t.Parallel()
	w := settled(t)
	w.clerk()
	id := w.stripe.Dispute(w.stripe.Intents()[0])
	w.told()
	w.told()
	if w.letters("payment_help") != "1" || w.paused() {
		t.Errorf("%s letters to staff, paused %t", w.letters("payment_help"), w.paused())
	}
	w.stripe.CloseDispute(id, "lost")
	w.told()
	w.told()
	if w.letters("payment_help") != "2" || !w.paused() {
		t.Errorf("lost: %s letters to staff, paused %t", w.letters("payment_help"), w.paused())
	}
	boss := audit.Actor{Kind: audit.Staff, ID: uuid.NewString(), Name: "boss@example.com", Role: string(staff.Owner)}
	if err := w.pay.Forgive(t.Context(), w.u.CustomerID, w.text("SELECT id FROM dunnings"), "we spoke", boss); err != nil || w.paused() {
		t.Errorf("forgiven: %v, paused %t", err, w.paused())
	}
}

// TestPayment_cardExpires: the owners are told once of each card that expires.
func TestPayment_cardExpires(t *testing.T) {
	t.Parallel()
	w := newBilled(t)
	for range 2 {
		if _, err := w.pay.Expiring(t.Context()); err != nil || w.letters("payment_expires") != "0" {
			t.Errorf("%s letters, %v", w.letters("payment_expires"), err)
		}
	}
	w.pass(time.Until(time.Date(2031, 12, 25, 0, 0, 0, 0, time.UTC)))
	for range 2 {
		if _, err := w.pay.Expiring(t.Context()); err != nil || w.letters("payment_expires") != "1" {
			t.Errorf("%s letters, %v", w.letters("payment_expires"), err)
		}
	}
}

// TestRefund_creditNote: the money of a credit note goes back once, of what was paid for its invoice, in advance and later.
func TestRefund_creditNote(t *testing.T) {
	t.Parallel()
	w := newBilled(t)
	id := w.invoice(60_00)
	w.collect(id) // 45 were paid in advance
	boss := audit.Actor{Kind: audit.Staff, ID: uuid.NewString(), Name: "boss@example.com", Role: string(staff.Owner)}
	store := &db.Billing{DB: w.db, Jobs: dbtest.NoJobs{}}
	bills := &billing.Service{Store: store, Now: w.now}
	for _, c := range []struct{ net, left pricing.Cents }{{20_00, 40_00}, {40_00, 0}} {
		n, err := bills.Credit(t.Context(), id, c.net, "they were ill", boss)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := w.pay.Refund(t.Context(), n.ID); err != nil {
				t.Fatal(err)
			}
		}
		w.stripe.Fail(stripetest.Fault{Path: "/v1/refunds", Does: true})
		rows := w.text("SELECT id FROM refunds WHERE state = 'asked' LIMIT 1")
		if err := w.pay.GiveBack(t.Context(), rows); !errors.Is(err, payment.ErrAway) {
			t.Errorf("a lost answer: %v", err)
		}
		w.stripe.ForgetKeys()
		w.refunded()
		if got := w.stripe.Taken(w.payer); got != int64(c.left) {
			t.Errorf("left: %d cents, want %d", got, c.left)
		}
		if got, err := bills.CreditNote(t.Context(), n.ID); err != nil || got.RefundedBy != payment.PaidBy {
			t.Errorf("%+v, %v", got, err)
		}
	}
	w.told()
	if o, err := w.orders.Of(t.Context(), w.u.CustomerID); err != nil || o.State != order.Fulfilled {
		t.Errorf("the order: %s, %v", o.State, err)
	}
}

package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/payment"
	"gatehouse/app/pricing"
	"gatehouse/app/provider/stripepay"
	"gatehouse/app/provider/stripepay/stripetest"
	"gatehouse/app/staff"
	"gatehouse/db"
	"gatehouse/db/dbtest"
	"gatehouse/jobs"
)

const hookSecret = "whsec_test"

// till is a bench where orders are paid through a stand-in of Stripe.
type till struct {
	*bench
	t      *testing.T
	stripe *stripetest.Stripe
	pay    *payment.Service
	ahead  atomic.Int64 // how far the clock of payments is ahead, in nanoseconds
}

func (w *till) now() time.Time { return time.Now().Add(time.Duration(w.ahead.Load())) }

func (w *till) pass(d time.Duration) { w.ahead.Add(int64(d)) }

func newTill(t *testing.T) *till {
	t.Helper()
	return tillOver(t, dbtest.New(t))
}

func tillOver(t *testing.T, d *db.DB) *till {
	t.Helper()
	w := &till{bench: newBench(t, d), t: t}
	w.stripe = stripetest.New(w.now)
	t.Cleanup(w.stripe.Close)
	queue, err := jobs.NewQueue(d.Pool, quiet)
	if err != nil {
		t.Fatal(err)
	}
	w.pay = &payment.Service{
		Store: &db.Payments{DB: d, Jobs: queue}, Orders: w.orders, Accounts: w.account, Public: "http://hub.example", Now: w.now,
		Provider: stripepay.New(stripepay.Options{
			URL: w.stripe.URL, Key: func() string { return stripetest.Key }, Hook: func() string { return hookSecret },
		}),
	}
	return w
}

// serve does the work of the queue until the test ends.
func (w *till) serve() {
	w.t.Helper()
	d := w.deps(w.now)
	d.Payments = w.pay
	w.work(w.t, d)
}

// newcomer signs up with an order that waits for its payment.
func (w *till) newcomer() account.User {
	w.t.Helper()
	u, err := w.pay.SignUp(w.t.Context(), account.SignUp{
		Name: "Somebody", Business: "Example Bakery", Email: "s" + uuid.NewString() + "@example.com", Password: "correct staple battery",
	}, order.Choice{Plan: pricing.Build, BusinessType: "bakery"})
	if err != nil {
		w.t.Fatal(err)
	}
	return u
}

// page has the page of an order opened, and says which it is.
func (w *till) page(u account.User) string {
	w.t.Helper()
	before := w.stripe.Sessions()
	url, err := w.pay.Pay(w.t.Context(), u.CustomerID)
	if err != nil || url == "" {
		w.t.Fatalf("page: %q, %v", url, err)
	}
	after := w.stripe.Sessions()
	for _, id := range slices.Backward(after) {
		if url == w.stripe.URL+"/c/pay/"+id {
			return id
		}
	}
	w.t.Fatalf("%q is none of %v, before %v", url, after, before)
	return ""
}

// twin is another customer who orders the same, without a password to be hashed.
func (w *till) twin(u account.User) account.User {
	w.t.Helper()
	of, id := uuid.NewString(), uuid.NewString()
	const copied = `WITH c AS (INSERT INTO customers (id, name, time_zone, created_at)
		SELECT $1::uuid, name, time_zone, created_at FROM customers WHERE id = $2)
		INSERT INTO users (id, customer_id, email, email_folded, name, role, password_hash, created_at)
		SELECT $3::uuid, $1::uuid, $3::uuid || '@example.com', $3::uuid || '@example.com', name, role, password_hash, created_at
		FROM users WHERE id = $4`
	if _, err := w.db.Pool.Exec(w.t.Context(), copied, of, u.CustomerID, id, u.ID); err != nil {
		w.t.Fatal(err)
	}
	t := account.User{ID: account.UserID(id), CustomerID: account.CustomerID(of), Email: id + "@example.com"}
	if err := w.pay.Begin(w.t.Context(), t, order.Choice{Plan: pricing.Build}); err != nil {
		w.t.Fatal(err)
	}
	return t
}

func (w *till) paysAt(session, how string) {
	w.t.Helper()
	if _, err := w.stripe.Pay(session, how); err != nil {
		w.t.Fatal(err)
	}
}

// paid is a customer who has ordered and paid, with the order.
func (w *till) paid() (account.User, order.Order) {
	w.t.Helper()
	u := w.newcomer()
	w.paysAt(w.page(u), stripetest.ByCard)
	w.told()
	o, err := w.orders.Of(w.t.Context(), u.CustomerID)
	if err != nil {
		w.t.Fatal(err)
	}
	return u, o
}

// told hands all events so far to the hub and deals with them, without a queue.
func (w *till) told() {
	w.t.Helper()
	for _, e := range w.stripe.Events() {
		w.event(e)
	}
}

func (w *till) event(e stripetest.Event) {
	w.t.Helper()
	err := w.pay.Take(w.t.Context(), e.Body, stripetest.Sign(e.Body, hookSecret, w.now()))
	if err == nil {
		err = w.pay.ReadEvent(w.t.Context(), e.ID)
	}
	if err != nil {
		w.t.Fatalf("event %s: %v", e.Kind, err)
	}
}

// text is one value of the database.
func (w *till) text(query string, args ...any) string {
	w.t.Helper()
	var s string
	if err := w.db.Pool.QueryRow(w.t.Context(), query, args...).Scan(&s); err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	return s
}

// refunded does the refunds that are asked for.
func (w *till) refunded() {
	w.t.Helper()
	rows, err := w.db.Pool.Query(w.t.Context(), "SELECT id FROM refunds WHERE state = 'asked'")
	if err != nil {
		w.t.Fatal(err)
	}
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			w.t.Fatal(err)
		}
		ids = append(ids, id)
	}
	for _, id := range ids {
		if err := w.pay.GiveBack(w.t.Context(), id); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *till) payer(u account.User) string {
	w.t.Helper()
	return w.text("SELECT provider_id FROM payers WHERE customer_id = $1", u.CustomerID)
}

// TestPayment_makesTheOrder: the account is there before Stripe, the payment makes the order, by whichever way the hub hears of it.
func TestPayment_makesTheOrder(t *testing.T) {
	t.Parallel()
	w := newTill(t)
	w.serve()
	u := w.newcomer()
	if _, err := w.orders.Of(t.Context(), u.CustomerID); fault.Of(err).Kind != fault.NotFound {
		t.Fatalf("an order before the payment: %v", err)
	}
	session := w.page(u)
	if again := w.page(u); again != session {
		t.Errorf("a second tab is shown %s, the first %s", again, session)
	}
	w.paysAt(session, stripetest.Refused)
	w.paysAt(session, stripetest.ByCard)
	for _, e := range w.stripe.Events() {
		if err := w.pay.Take(t.Context(), e.Body, stripetest.Sign(e.Body, hookSecret, w.now())); err != nil {
			t.Fatal(err)
		}
	}
	var o order.Order
	eventually(t, "the payment makes the order", func() bool {
		var err error
		o, err = w.orders.Of(t.Context(), u.CustomerID)
		return err == nil
	})
	if o.PaidBy != payment.PaidBy || o.Price != 45_00 || o.BusinessType != "bakery" {
		t.Errorf("%+v", o)
	}
	w.reaches(t, o, order.Fulfilled)
	if url, err := w.pay.Pay(t.Context(), u.CustomerID); !errors.Is(err, payment.ErrNothing) {
		t.Errorf("paid already, and to be paid at %q, %v", url, err)
	}
	if got := w.text("SELECT kind || ' ' || brand || ' ' || last4 FROM payers"); got != "card visa 4242" {
		t.Errorf("on file: %s", got)
	}
	if got := w.stripe.Taken(w.payer(u)); got != 45_00 {
		t.Errorf("taken: %d cents", got)
	}
	if got := w.text("SELECT text FROM order_events ORDER BY id LIMIT 1"); got != "Payment confirmed by Stripe." {
		t.Errorf("first line of the history: %q", got)
	}
}

// TestPayment_everyOrderOfEvents: whatever the order in which events come, and however often, the end is the same.
func TestPayment_everyOrderOfEvents(t *testing.T) {
	t.Parallel()
	w := newTill(t)
	want, first := "", w.newcomer()
	for n, way := range permutations(5) {
		u := w.twin(first)
		from := len(w.stripe.Events())
		w.paysAt(w.page(u), stripetest.ByCard)
		all := w.stripe.Events()[from:]
		if len(all) != 5 { // of the customer, the charge, the payment, the card and the page
			t.Fatalf("%d events", len(all))
		}
		for _, i := range way {
			w.event(all[i])
			w.event(all[way[0]])
		}
		got := w.text(`SELECT p.state || ' ' || p.refunded || ' ' || pc.state || ' ' || (p.order_id = pc.order_id) || ' ' ||
			(SELECT count(*) FROM orders WHERE customer_id = $1) || ' ' || (SELECT count(*) FROM refunds) || ' ' || py.last4 || ' ' ||
			(SELECT count(*) FROM payments WHERE customer_id = $1) FROM payments p JOIN pending_checkouts pc ON pc.id = p.checkout_id
			JOIN payers py ON py.customer_id = p.customer_id WHERE p.customer_id = $1`, u.CustomerID)
		if want == "" {
			want = got
		}
		if got != want || got != "paid 0 ordered true 1 0 4242 1" {
			t.Fatalf("way %d %v: %s, want %s", n, way, got, want)
		}
	}
}

// permutations are all orders of n things.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, p := range permutations(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(p), at, n-1))
		}
	}
	return all
}

// blind is a store as it is to two tabs at the same moment: neither finds the payment of the other.
type blind struct{ payment.Store }

func (blind) Latest(context.Context, payment.CheckoutID) (payment.Payment, error) {
	return payment.Payment{}, db.ErrNotFound
}

// TestPayment_twoTabs: two pages that are paid at once make one order, and the second payment goes back.
func TestPayment_twoTabs(t *testing.T) {
	t.Parallel()
	w := newTill(t)
	u := w.newcomer()
	var wg sync.WaitGroup
	tab := *w.pay
	tab.Store = blind{w.pay.Store}
	w.stripe.Together("POST /v1/customers", 2)
	for range 2 {
		wg.Go(func() {
			if _, err := tab.Pay(context.Background(), u.CustomerID); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	sessions := w.stripe.Sessions()
	if len(sessions) != 2 {
		t.Fatalf("%d pages", len(sessions))
	}
	for _, id := range sessions {
		w.paysAt(id, stripetest.ByCard)
	}
	var ids []payment.ID
	for _, id := range sessions {
		ids = append(ids, payment.ID(w.text("SELECT id FROM payments WHERE page = $1", id)))
	}
	for range 3 {
		for _, id := range ids {
			wg.Go(func() {
				if _, err := w.pay.LookAt(context.Background(), id); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	w.refunded()
	w.told()
	if got := w.text("SELECT count(*)::text FROM orders"); got != "1" {
		t.Errorf("%s orders", got)
	}
	if got := w.stripe.Taken(w.payer(u)); got != 45_00 {
		t.Errorf("taken in the end: %d cents", got)
	}
	if got := w.text("SELECT why || ' ' || state FROM refunds"); got != "twice done" {
		t.Errorf("refund: %s", got)
	}
	o, err := w.orders.Of(t.Context(), u.CustomerID)
	if err != nil || o.State != order.PaymentConfirmed {
		t.Errorf("the refund of the second payment ended the order: %+v, %v", o, err)
	}
}

// TestPayment_orderCameFirst: who has an order by the time a payment comes gets the money back.
func TestPayment_orderCameFirst(t *testing.T) {
	t.Parallel()
	w := newTill(t)
	u := w.newcomer()
	session := w.page(u)
	if _, err := w.orders.Create(t.Context(), u.CustomerID, u, order.Choice{Plan: pricing.Lite}); err != nil {
		t.Fatal(err)
	}
	w.paysAt(session, stripetest.ByCard)
	w.told()
	w.refunded()
	if got := w.text("SELECT state FROM pending_checkouts") + " " + w.text("SELECT why || ' ' || state FROM refunds"); got != "closed twice done" {
		t.Error(got)
	}
	if got := w.stripe.Taken(w.payer(u)); got != 0 {
		t.Errorf("taken in the end: %d cents", got)
	}
}

// TestPayment_lostAnswers: an answer of Stripe that never came, and a hub that was killed after it, lead to the same objects.
func TestPayment_lostAnswers(t *testing.T) {
	t.Parallel()
	w := newTill(t)
	u := w.newcomer()
	for _, path := range []string{"/v1/customers", "/v1/checkout/sessions"} {
		w.stripe.Fail(stripetest.Fault{Path: path, Does: true})
		if _, err := w.pay.Pay(t.Context(), u.CustomerID); !errors.Is(err, payment.ErrAway) {
			t.Errorf("%s: %v", path, err)
		}
	}
	session := w.page(u)
	if n, m := len(w.stripe.Customers()), len(w.stripe.Sessions()); n != 1 || m != 1 {
		t.Errorf("%d customers and %d pages", n, m)
	}
	// The page was made, and the hub died before it could note it: the event says whose it is.
	if _, err := w.db.Pool.Exec(t.Context(), "UPDATE payments SET page = NULL, state = 'asked'"); err != nil {
		t.Fatal(err)
	}
	w.paysAt(session, stripetest.ByCard)
	w.told()
	if got := w.text("SELECT count(*)::text FROM orders"); got != "1" {
		t.Errorf("%s orders", got)
	}
}

// TestPayment_lateDebit: a direct debit is no payment before the bank has paid, and the order waits for that.
func TestPayment_lateDebit(t *testing.T) {
	t.Parallel()
	w := newTill(t)
	for _, pays := range []bool{true, false} {
		u := w.newcomer()
		w.paysAt(w.page(u), stripetest.ByDebit)
		w.told()
		if _, err := w.orders.Of(t.Context(), u.CustomerID); fault.Of(err).Kind != fault.NotFound {
			t.Fatalf("an order before the bank has paid: %v", err)
		}
		if url, err := w.pay.Pay(t.Context(), u.CustomerID); err != nil || url != "" {
			t.Errorf("while the bank is at it, another page is opened: %q, %v", url, err)
		}
		w.pass(5 * 24 * time.Hour)
		w.stripe.Settle(w.stripe.Intents()[len(w.stripe.Intents())-1], pays)
		w.told()
		_, err := w.orders.Of(t.Context(), u.CustomerID)
		if pays != (err == nil) {
			t.Errorf("the bank paid: %t; %v", pays, err)
		}
		if !pays {
			w.paysAt(w.page(u), stripetest.ByCard) // another way to pay
			w.told()
			if _, err := w.orders.Of(t.Context(), u.CustomerID); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestPayment_calledOff: an order that is called off before its server works is given back, once.
func TestPayment_calledOff(t *testing.T) {
	t.Parallel()
	w := newTill(t)
	u, o := w.paid()
	if _, err := w.orders.CallOff(t.Context(), u.CustomerID, o.ID, audit.Actor{Kind: audit.User, Name: u.Email}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.pay.RefundOrder(t.Context(), o.ID); err != nil {
			t.Fatal(err)
		}
	}
	w.stripe.Fail(stripetest.Fault{Path: "/v1/refunds", Does: true})
	id := w.text("SELECT id FROM refunds")
	if err := w.pay.GiveBack(t.Context(), id); !errors.Is(err, payment.ErrAway) {
		t.Errorf("a refund whose answer was lost: %v", err)
	}
	w.stripe.ForgetKeys() // more than a day later
	w.refunded()
	w.refunded()
	if got := w.text("SELECT count(*)::text || min(why) || min(state) FROM refunds"); got != "1cancelleddone" {
		t.Error(got)
	}
	if got := w.stripe.Taken(w.payer(u)); got != 0 {
		t.Errorf("taken in the end: %d cents", got)
	}
	if n := w.stripe.Asked("POST /v1/refunds"); n != 1 {
		t.Errorf("%d refunds were asked for", n)
	}
}

// TestPayment_refundElsewhere: a payment that went back in Stripe's dashboard ends an order that is being set up, as a cancel does.
func TestPayment_refundElsewhere(t *testing.T) {
	t.Parallel()
	w := newTill(t)
	u, o := w.paid()
	w.stripe.RefundElsewhere(w.stripe.Intents()[0], 20_00)
	w.told()
	if now, err := w.orders.Get(t.Context(), u.CustomerID, o.ID); err != nil || now.State != order.PaymentConfirmed {
		t.Errorf("a part of it went back: %s, %v", now.State, err)
	}
	if _, err := w.db.Pool.Exec(t.Context(), `WITH s AS (INSERT INTO servers (id, customer_id, order_id, slug, provider, state, created_at)
		VALUES (gen_random_uuid(), $1, $2, 'x', 'local', 'new', now()) RETURNING id) SELECT 1 FROM s`, u.CustomerID, o.ID); err != nil {
		t.Fatal(err)
	}
	for _, s := range order.Path()[1:6] {
		if _, err := w.db.Pool.Exec(t.Context(), "UPDATE orders SET state = $1, server_id = (SELECT id FROM servers)", s); err != nil {
			t.Fatal(err)
		}
	}
	w.stripe.RefundElsewhere(w.stripe.Intents()[0], 25_00)
	w.told()
	w.told()
	now, err := w.orders.Get(t.Context(), u.CustomerID, o.ID)
	if err != nil || now.State != order.Stopping {
		t.Errorf("all of it went back in the middle of the set-up: %s, %v", now.State, err)
	}
	if err := w.pay.RefundOrder(t.Context(), o.ID); err != nil {
		t.Fatal(err)
	}
	if got := w.text("SELECT count(*)::text FROM refunds"); got != "0" {
		t.Errorf("%s refunds of what went back already", got)
	}
}

// TestPayment_webhooksLost: after days without events, the hub asks for what it missed.
func TestPayment_webhooksLost(t *testing.T) {
	t.Parallel()
	w := newTill(t)
	u := w.newcomer()
	w.paysAt(w.page(u), stripetest.ByCard)
	w.pass(3 * 24 * time.Hour)
	for w.now().Minute()%10 != 0 {
		w.pass(time.Minute)
	}
	n, err := w.pay.CatchUp(t.Context())
	if err != nil || n == 0 {
		t.Fatalf("%d events, %v", n, err)
	}
	if again, err := w.pay.CatchUp(t.Context()); err != nil || again != 0 {
		t.Errorf("%d events again, %v", again, err)
	}
	for _, e := range w.stripe.Events() {
		if err := w.pay.ReadEvent(t.Context(), e.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.orders.Of(t.Context(), u.CustomerID); err != nil {
		t.Error(err)
	}
	v := w.newcomer() // and who is not told at all finds it by looking
	w.paysAt(w.page(v), stripetest.ByCard)
	w.pass(time.Hour)
	if n, err := w.pay.Unsettled(t.Context()); err != nil || n == 0 {
		t.Errorf("%d looked at, %v", n, err)
	}
	if _, err := w.orders.Of(t.Context(), v.CustomerID); err != nil {
		t.Error(err)
	}
}

// TestPayment_eventsOnce: one event that comes a hundred times at once is kept once; one that nobody signed, or that is about
// somebody else's payment, changes nothing.
func TestPayment_eventsOnce(t *testing.T) {
	t.Parallel()
	w := newTill(t)
	w.paid()
	all := w.stripe.Events()
	e := all[len(all)-1]
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			if err := w.pay.Take(context.Background(), e.Body, stripetest.Sign(e.Body, hookSecret, w.now())); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := w.text("SELECT count(*)::text FROM river_job WHERE kind = 'read_payment_event' AND args->>'event_id' = $1", e.ID); got != "1" {
		t.Errorf("%s jobs", got)
	}
	before := w.text("SELECT count(*)::text FROM stripe_events")
	if err := w.pay.Take(t.Context(), e.Body, stripetest.Sign(e.Body, "whsec_other", w.now())); !errors.Is(err, payment.ErrSignature) {
		t.Errorf("signed by somebody: %v", err)
	}
	foreign := fmt.Sprintf(`{"id":"evt_x","object":"event","created":%d,"type":"product.created","data":{"object":{"id":"prod_1","object":"product"}}}`, w.now().Unix())
	if err := w.pay.Take(t.Context(), []byte(foreign), stripetest.Sign([]byte(foreign), hookSecret, w.now())); err != nil {
		t.Fatal(err)
	}
	if err := w.pay.ReadEvent(t.Context(), "evt_x"); err != nil {
		t.Error(err)
	}
	if got := w.text("SELECT outcome FROM stripe_events WHERE id = 'evt_x'"); got != "ignored" {
		t.Errorf("an event of a kind that nobody knows: %s", got)
	}
	if after := w.text("SELECT count(*)::text FROM stripe_events WHERE id <> 'evt_x'"); after != before {
		t.Errorf("%s events, then %s", before, after)
	}
}

// TestPayment_refundBy: staff give back what was paid, with a reason, and no more than that.
func TestPayment_refundBy(t *testing.T) {
	t.Parallel()
	w := newTill(t)
	u, _ := w.paid()
	id := payment.ID(w.text("SELECT id FROM payments"))
	boss := audit.Actor{Kind: audit.Staff, ID: uuid.NewString(), Name: "boss@example.com", Role: string(staff.Owner)}
	clerk := audit.Actor{Kind: audit.Staff, ID: uuid.NewString(), Name: "clerk@example.com", Role: string(staff.Support)}
	for what, c := range map[string]struct {
		cents  pricing.Cents
		reason string
		by     audit.Actor
		kind   fault.Kind
	}{
		"without a reason": {100, " ", boss, fault.Invalid}, "nothing": {0, "why", boss, fault.Invalid},
		"more than was paid": {45_01, "why", boss, fault.Conflict}, "without the right": {100, "why", clerk, fault.Forbidden},
	} {
		if err := w.pay.RefundBy(t.Context(), u.CustomerID, id, c.cents, c.reason, c.by); fault.Of(err).Kind != c.kind {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := w.pay.RefundBy(t.Context(), u.CustomerID, id, 15_00, "was ill", boss); err != nil {
		t.Fatal(err)
	}
	if err := w.pay.RefundBy(t.Context(), u.CustomerID, id, 30_01, "again", boss); !errors.Is(err, payment.ErrTooMuch) {
		t.Errorf("more than is left: %v", err)
	}
	w.refunded()
	if got := w.stripe.Taken(w.payer(u)); got != 30_00 {
		t.Errorf("left: %d cents", got)
	}
	if got := w.text("SELECT refunded::text FROM payments"); got != "1500" {
		t.Errorf("known to be back: %s", got)
	}
}

// TestPayment_tellsOfWhatWaits: who does not come back is mailed once; what nobody pays is closed.
func TestPayment_tellsOfWhatWaits(t *testing.T) {
	t.Parallel()
	w := newTill(t)
	w.newcomer()
	w.paid()
	letters := func() string {
		return w.text("SELECT count(*)::text FROM river_job WHERE args->>'template' = 'payment_waiting'")
	}
	for _, c := range []struct {
		after time.Duration
		want  string
	}{{0, "0"}, {2 * time.Hour, "1"}, {24 * time.Hour, "1"}} {
		w.pass(c.after)
		if _, err := w.pay.Tidy(t.Context()); err != nil || letters() != c.want {
			t.Errorf("%s later: %s letters, want %s, %v", c.after, letters(), c.want, err)
		}
	}
	w.pass(31 * 24 * time.Hour)
	if _, err := w.pay.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := w.text("SELECT count(*)::text FROM pending_checkouts WHERE state = 'open'"); got != "0" {
		t.Errorf("%s are open", got)
	}
}

package db_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/usage"
	"gatehouse/app/work"
)

// untold hears of orders that change.
type untold struct{}

func (untold) OrderChanged(context.Context, account.CustomerID, order.ID) {}

// leaver is who cancels.
var leaver = audit.Actor{Kind: audit.User, ID: "00000000-0000-7000-8000-000000000002", Name: "owner@example.com"}

// month begins a customer's first month, a while before the clock.
func (b *till) month() billing.Period {
	b.t.Helper()
	b.sells()
	b.ready(t0)
	b.at(t0.Add(time.Hour))
	return b.periods()[0]
}

// letters counts the letters of a template that are queued.
func (b *till) letters(template string) (n int) {
	for _, it := range b.queue.items {
		if m, ok := it.(work.SendMail); ok && m.Template == template {
			n++
		}
	}
	return n
}

// orderNow is the order as it stands.
func (b *till) orderNow() order.Order {
	b.t.Helper()
	o, err := b.orders.Of(b.t.Context(), b.of)
	must(b.t, err)
	return o
}

// times counts the rows that a query finds.
func (b *till) times(q string, args ...any) (n int) {
	b.t.Helper()
	must(b.t, b.db.QueryRowContext(b.t.Context(), q, args...).Scan(&n))
	return n
}

// TestCancel_comesTrueOnce: a plan that was cancelled ends with its month, once, also when two hubs look; one last invoice holds what
// was used, no month follows, and the team is told that it rests.
func TestCancel_comesTrueOnce(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	p := b.month()
	must(t, b.Chose(t.Context(), b.of, true, leaver))
	b.price(pricing.KindRate, "USD", `920000`, p.To.AddDate(0, 0, -2))
	c, err := b.Cancel(t.Context(), b.of, leaver)
	if err != nil || !c.EndsAt.Equal(p.To) || b.letters(billing.LetterCancelled) != 1 {
		t.Fatalf("%+v, %v, %d letters", c, err, b.letters(billing.LetterCancelled))
	}
	l, err := b.Leaving(t.Context(), b.of)
	if err != nil || l == nil || l.Over || l.Said.By.Name != leaver.Name {
		t.Fatalf("before the end: %+v, %v", l, err)
	}
	if !l.On.Equal(p.To) || !l.Erased.Equal(p.To.AddDate(0, 0, 30)) {
		t.Errorf("before the end: %+v", l)
	}
	if _, err := b.Cancel(t.Context(), b.of, leaver); !errors.Is(err, billing.ErrCancelled) {
		t.Errorf("a second tab: %v", err)
	}
	b.uses(p.To.Add(-2*time.Hour), "small", usage.House, usage.Counts{Output: 20_000_000})
	b.at(p.To.Add(-time.Minute))
	if o := b.orderNow(); o.State != order.Fulfilled || o.Rests() {
		t.Errorf("a minute before: %s", o.State)
	}
	b.now = p.To
	var hubs sync.WaitGroup
	var ended [4]int
	for i := range ended {
		hubs.Go(func() {
			n, err := b.EndDue(t.Context())
			if err != nil {
				t.Error(err)
			}
			ended[i] = n
		})
	}
	hubs.Wait()
	if ended[0]+ended[1]+ended[2]+ended[3] != 1 || b.letters(order.LetterEnded) != 1 {
		t.Errorf("ended %v times, %d letters", ended, b.letters(order.LetterEnded))
	}
	b.at(p.To.Add(billing.Settle))
	b.at(p.To.AddDate(0, 0, 29))
	o := b.orderNow()
	if o.State != order.Ended || o.EndReason != order.Closed || !o.Rests() {
		t.Errorf("%+v", o)
	}
	if !o.EndedAt.Equal(p.To) || !o.ReleaseAt.Equal(p.To.AddDate(0, 0, 30)) {
		t.Errorf("ended at %s, released at %s", o.EndedAt, o.ReleaseAt)
	}
	all := b.periods()
	if len(all) != 1 || all[0].State != billing.Billed || !all[0].To.Equal(p.To) {
		t.Fatalf("months: %+v", all)
	}
	var lines string
	must(t, b.db.QueryRowContext(t.Context(), "SELECT lines::text FROM invoices WHERE customer_id = ?", b.of).Scan(&lines))
	n := b.times("SELECT count(*) FROM invoices")
	if n != 1 || !strings.Contains(lines, `"overage"`) || !strings.Contains(lines, `"net": 4500`) {
		t.Errorf("%d invoices: %s", n, lines)
	}
	if _, err := b.TakeBack(t.Context(), b.of, leaver); !errors.Is(err, billing.ErrEnded) {
		t.Errorf("taken back after the end: %v", err)
	}
	if _, err := b.Cancel(t.Context(), b.of, leaver); !errors.Is(err, billing.ErrEnded) {
		t.Errorf("cancelled after the end: %v", err)
	}
	if _, err := b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: pricing.Scale}, leaver); !errors.Is(err, billing.ErrEnded) {
		t.Errorf("another plan after the end: %v", err)
	}
	if n := b.times("SELECT count(*) FROM audit_log WHERE action IN ('billing.cancel', 'billing.ended', 'order.end')"); n != 3 {
		t.Errorf("%d lines on record", n)
	}
	if l, err := b.Leaving(t.Context(), b.of); err != nil || l == nil || !l.Over || !l.Keep || l.Gone {
		t.Errorf("after the end: %+v, %v", l, err)
	}
}

// stuck are orders that cannot be ended while their server is being replaced.
type stuck struct{ billing.Orders }

func (stuck) End(context.Context, account.CustomerID, order.ID, order.EndReason, audit.Actor) (order.Order, error) {
	return order.Order{}, order.ErrReplacing
}

// TestCancel_orderStays: who has cancelled gets no new month while the order cannot be ended yet. The team rests from the day that was
// said, and the order ends when it can.
func TestCancel_orderStays(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	p := b.month()
	_, err := b.Cancel(t.Context(), b.of, leaver)
	must(t, err)
	works := b.Orders
	b.Orders = stuck{works}
	b.now = p.To.Add(-time.Minute)
	must(t, b.Resting(t.Context(), b.of))
	for _, after := range []time.Duration{0, time.Minute, time.Hour, 40 * 24 * time.Hour} {
		b.at(p.To.Add(after))
		b.at(p.To.Add(after)) // a month that was closed lets another one begin
		if all := b.periods(); len(all) != 1 {
			t.Fatalf("%s later: %d months", after, len(all))
		}
	}
	if since, err := b.RestsSince(t.Context(), b.of); err != nil || !since.Equal(p.To) || b.Resting(t.Context(), b.of) == nil {
		t.Errorf("rests since %s, %v", since, err)
	}
	next := p
	next.ID, next.Number, next.From = "00000000-0000-7000-8000-000000000077", 2, p.To
	next.To, next.FullTo = p.To.AddDate(0, 1, 0), p.To.AddDate(0, 1, 0)
	if begun, err := b.Store.Begin(t.Context(), next); err != nil || begun {
		t.Errorf("begun all the same: %t, %v", begun, err)
	}
	b.Orders = works
	b.at(b.now.Add(time.Minute))
	if o := b.orderNow(); o.State != order.Ended || o.EndReason != order.Closed || len(b.periods()) != 1 {
		t.Errorf("%+v, %d months", o, len(b.periods()))
	}
}

// TestCancel_takenBack: until the end it can be taken back, once; months go on as if nothing had been said, and it can be cancelled
// again. What was said stays.
func TestCancel_takenBack(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	p := b.month()
	if _, err := b.TakeBack(t.Context(), b.of, leaver); !errors.Is(err, billing.ErrNotCancelled) {
		t.Errorf("nothing to take back: %v", err)
	}
	_, err := b.Cancel(t.Context(), b.of, leaver)
	must(t, err)
	b.now = p.To.Add(-time.Second)
	c, err := b.TakeBack(t.Context(), b.of, leaver)
	if err != nil || c.Open() || c.BackBy.Name != leaver.Name || b.letters(billing.LetterKept) != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	if _, err := b.TakeBack(t.Context(), b.of, leaver); !errors.Is(err, billing.ErrNotCancelled) {
		t.Errorf("a second tab: %v", err)
	}
	b.at(p.To)
	if o, all := b.orderNow(), b.periods(); o.State != order.Fulfilled || len(all) != 2 || all[1].State != billing.Active {
		t.Errorf("%s, months %+v", o.State, all)
	}
	if c, err = b.Cancel(t.Context(), b.of, leaver); err != nil || !c.EndsAt.Equal(b.periods()[1].To) {
		t.Errorf("again: %+v, %v", c, err)
	}
	if _, err := b.db.ExecContext(t.Context(), "DELETE FROM billing_cancellations"); err == nil {
		t.Error("a cancellation was deleted")
	}
	if n := b.times("SELECT count(*) FROM billing_cancellations"); n != 2 {
		t.Errorf("%d cancellations", n)
	}
}

// TestCancel_atTheSameTime: of many tabs one cancels; of one that cancels and the end of the month, either comes first, and no month
// follows one that was cancelled.
func TestCancel_atTheSameTime(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	p := b.month()
	var tabs sync.WaitGroup
	done := make([]error, 6)
	for i := range done {
		tabs.Go(func() { _, done[i] = b.Cancel(t.Context(), b.of, leaver) })
	}
	tabs.Wait()
	cancelled := 0
	for _, err := range done {
		switch {
		case err == nil:
			cancelled++
		case !errors.Is(err, billing.ErrCancelled):
			t.Error(err)
		}
	}
	if cancelled != 1 || b.letters(billing.LetterCancelled) != 1 {
		t.Errorf("%d cancelled, %d letters", cancelled, b.letters(billing.LetterCancelled))
	}
	b.now = p.To // the month is closed before anybody has looked at what was cancelled
	if _, err := b.CloseDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.at(p.To.Add(time.Minute))
	if all := b.periods(); len(all) != 1 || b.orderNow().State != order.Ended {
		t.Errorf("%s, months %+v", b.orderNow().State, all)
	}
}

// TestCancel_orderEndedBefore: an order that was ended because it was not paid stays as it is. Who pays yet goes on, and leaves on the
// day that was said.
func TestCancel_orderEndedBefore(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	p := b.month()
	_, err := b.Cancel(t.Context(), b.of, leaver)
	must(t, err)
	b.now = t0.Add(48*time.Hour + 20*time.Minute)
	_, err = b.orders.End(t.Context(), b.of, b.orderNow().ID, order.Unpaid, audit.Itself)
	must(t, err)
	b.at(b.now.Add(time.Minute))
	if all := b.periods(); len(all) != 1 || all[0].State != billing.Closed || !all[0].To.Equal(t0.Add(49*time.Hour)) {
		t.Errorf("the month of an order that has ended: %+v", all)
	}
	const open = "SELECT count(*) FROM billing_cancellations WHERE ended_at IS NULL AND back_at IS NULL"
	if o := b.orderNow(); o.EndReason != order.Unpaid || b.times(open) != 1 {
		t.Errorf("%+v", o)
	}
	if _, err := b.TakeBack(t.Context(), b.of, leaver); !errors.Is(err, billing.ErrEnded) {
		t.Errorf("taken back: %v", err)
	}
	b.now = t0.AddDate(0, 0, 10) // the order is kept: a month begins then, and not when the last one ended
	_, err = b.orders.Keep(t.Context(), b.of, b.orderNow().ID, audit.Itself)
	must(t, err)
	b.at(b.now)
	if all := b.periods(); len(all) != 2 || !all[1].From.Equal(t0.AddDate(0, 0, 10)) {
		t.Errorf("after it was kept: %+v", all)
	}
	b.at(p.To)
	b.at(p.To.Add(time.Hour))
	if o := b.orderNow(); o.State != order.Ended || o.EndReason != order.Closed || b.times(open) != 0 {
		t.Errorf("the cancellation did not come true: %+v", o)
	}
	if all := b.periods(); len(all) != 2 || all[1].State == billing.Active {
		t.Errorf("a month goes on: %+v", all)
	}
}

// TestCancel_neverPaid: what was cancelled for an order that nobody paid is settled when the server is given back.
func TestCancel_neverPaid(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	p := b.month()
	_, err := b.Cancel(t.Context(), b.of, leaver)
	must(t, err)
	_, err = b.orders.End(t.Context(), b.of, b.orderNow().ID, order.Unpaid, audit.Itself)
	must(t, err)
	b.at(p.To.Add(time.Hour))
	_, err = b.db.ExecContext(t.Context(), "UPDATE orders SET state = 'RELEASING' WHERE customer_id = ?", b.of)
	must(t, err)
	b.at(p.To.Add(2 * time.Hour))
	if n := b.times("SELECT count(*) FROM billing_cancellations WHERE ended_at IS NOT NULL"); n != 1 {
		t.Errorf("%d settled", n)
	}
}

// TestChangePlan_seen: what was seen is what holds; what has changed since is refused, as is what is no change, and what would end.
func TestChangePlan_seen(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	if _, err := b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: pricing.Scale}, leaver); !errors.Is(err, billing.ErrNoPeriod) {
		t.Errorf("before the server is ready: %v", err)
	}
	p := b.month()
	b.now = p.From.Add(371 * time.Hour) // of 743: the clocks change in that month
	d, err := b.PreviewPlan(t.Context(), b.of, pricing.Scale)
	d.Was.From = time.Time{}
	want := billing.PlanChange{
		Was: billing.Span{Plan: pricing.Build, Name: "Build", Monthly: 45_00, Pool: 15_000_000},
		Now: billing.Span{Plan: pricing.Scale, Name: "Scale", Monthly: 75_00, Pool: 25_000_000, From: b.now},
		To:  p.To, Before: 45_00, After: 60_02, PoolBefore: 15_000_000, PoolAfter: 20_006_730,
	}
	if err != nil || d != want {
		t.Fatalf("%+v, %v", d, err)
	}
	if got := b.periods()[0]; len(got.Plans) != 1 || b.letters(billing.LetterPlan) != 0 {
		t.Errorf("a look has changed something: %+v", got)
	}
	w := billing.Wish{Plan: pricing.Scale, Was: d.Was.Plan, Monthly: d.Now.Monthly}
	dearer := w
	dearer.Monthly++
	if _, err := b.ChangePlan(t.Context(), b.of, dearer, leaver); !errors.Is(err, billing.ErrPlanSeen) {
		t.Errorf("another price: %v", err)
	}
	if _, err := b.ChangePlan(t.Context(), b.of, w, leaver); err != nil || b.letters(billing.LetterPlan) != 1 {
		t.Errorf("%v, %d letters", err, b.letters(billing.LetterPlan))
	}
	if _, err := b.ChangePlan(t.Context(), b.of, w, leaver); !errors.Is(err, billing.ErrPlanSeen) {
		t.Errorf("a second tab: %v", err)
	}
	if _, err := b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: pricing.Scale}, leaver); !errors.Is(err, billing.ErrSamePlan) {
		t.Errorf("the same plan: %v", err)
	}
	if got := b.orderNow(); got.Plan != pricing.Scale || got.Price != 75_00 {
		t.Errorf("the order: %+v", got)
	}
	if _, err := b.Cancel(t.Context(), b.of, leaver); err != nil {
		t.Fatal(err)
	}
	if _, err := b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: pricing.Lite}, clerk); !errors.Is(err, billing.ErrPlanEnds) {
		t.Errorf("of a plan that is cancelled: %v", err)
	}
}

// TestBillingRun_waived: of an order that was refunded whole no month is charged any more: neither the one that runs, nor one that is
// over and waits for its invoice. Months after it was kept are.
func TestBillingRun_waived(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	p := b.month()
	b.at(p.To.Add(time.Minute)) // over, and not billed yet
	b.now = p.To.Add(30 * time.Minute)
	_, err := b.orders.End(t.Context(), b.of, b.orderNow().ID, order.Refunded, audit.Itself)
	must(t, err)
	b.at(b.now.Add(time.Minute))
	b.at(p.To.Add(3 * billing.Settle))
	for _, m := range b.periods() {
		if m.State != billing.Waived {
			t.Errorf("month %d is %s", m.Number, m.State)
		}
	}
	if n := b.times("SELECT count(*) FROM invoices"); n != 0 || len(b.periods()) != 2 {
		t.Errorf("%d invoices, %d months", n, len(b.periods()))
	}
	if _, err := b.db.ExecContext(t.Context(), "UPDATE billing_periods SET state = 'CLOSED'"); err == nil {
		t.Error("a waived month was taken up again")
	}
	_, err = b.orders.Keep(t.Context(), b.of, b.orderNow().ID, audit.Itself)
	must(t, err)
	b.at(b.now.Add(time.Minute))
	if all := b.periods(); len(all) != 3 || all[2].State != billing.Active {
		t.Errorf("after it was kept: %+v", all)
	}
}

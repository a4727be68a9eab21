package db_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"gatehouse/app/billing"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
	"gatehouse/app/usage"
)

// TestBillingRun_planAfterTheEnd: a plan that is changed when the month is over, and nobody has closed it yet, leaves that month as it
// was: the next one has the new plan, and both are billed.
func TestBillingRun_planAfterTheEnd(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.ready(t0)
	b.at(t0)
	p := b.periods()[0]
	b.now = p.To.Add(10 * time.Minute)
	_, err := b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: pricing.Scale}, clerk)
	must(t, err)
	b.at(p.To.Add(billing.Settle))
	all := b.periods()
	if len(all) != 2 || len(all[0].Plans) != 1 || all[0].Plan().Plan != pricing.Build || all[1].Plan().Plan != pricing.Scale {
		t.Fatalf("%+v", all)
	}
	b.at(all[1].To)
	b.at(all[1].To.Add(billing.Settle))
	if first, second := b.invoiceOf(all[0]), b.invoiceOf(all[1]); first.Net != 45_00 || second.Net != 75_00 {
		t.Errorf("%d and %d cents", first.Net, second.Net)
	}
}

// TestBillingRun_planBeyondTheEnd: a month that has a plan from after its end, as one may from before this was refused, is closed and
// billed all the same, and the next one has that plan.
func TestBillingRun_planBeyondTheEnd(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.ready(t0)
	b.at(t0)
	p := b.periods()[0]
	b.exec(`UPDATE billing_periods SET plans = plans || jsonb_build_array(jsonb_build_object('plan', 'scale', 'name', 'Scale',
		'monthly', 7500, 'pool', 25000000, 'from', to_at))`)
	b.at(p.To.Add(time.Minute))
	b.at(p.To.Add(billing.Settle))
	if i := b.invoiceOf(p); i.Net != 45_00 || len(i.Lines) != 1 {
		t.Errorf("%+v", i.Lines)
	}
	if next := b.periods()[1]; next.Plan().Plan != pricing.Scale {
		t.Errorf("%+v", next.Plans)
	}
}

// TestBillingRun_rateMissing: a month for whose end no exchange rate was known waits, however long, and is billed with the first one that
// follows. Who needs none, and who comes behind in the queue, does not wait with it.
func TestBillingRun_rateMissing(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.ready(t0)
	b.at(t0)
	p := b.periods()[0]
	b.price(pricing.KindRate, "USD", "800000", b.now.Truncate(24*time.Hour))
	b.uses(t0.Add(time.Hour), "large", usage.House, usage.Counts{Output: 1_000_000})
	for at := p.To; at.Before(p.To.AddDate(0, 0, 10)); at = at.Add(24 * time.Hour) {
		b.at(at.Add(billing.Settle))
	}
	if got := b.periods()[0]; got.State != billing.Closed || !strings.Contains(got.Held, "No exchange rate") {
		t.Fatalf("%s: %q", got.State, got.Held)
	}
	second := b.periods()[1]
	b.at(second.To.Add(billing.Settle))
	if second := b.periods()[1]; second.State != billing.Closed {
		t.Fatalf("the second month of a customer whose first one waits is %s", second.State)
	}
	follows := b.now.Truncate(24 * time.Hour)
	b.price(pricing.KindRate, "USD", "900000", follows)
	b.at(b.now.Add(time.Minute))
	b.at(b.now.Add(time.Minute))
	i := b.invoiceOf(p)
	if i.Net != 45_00+14_85 || i.Lines[1].Metered.RateDay != follows.Format(time.DateOnly) { // $15, 10 %, 0.90
		t.Errorf("%+v", i.Lines)
	}
	b.now = b.now.Add(time.Minute)
	b.price(pricing.KindRate, "USD", "500000", p.To.Truncate(24*time.Hour)) // of the day itself, and too late
	if r := b.recomputes(p); !r.Same() {
		t.Errorf("computed again: %+v", r)
	}
	if second := b.periods()[1]; second.State != billing.Billed || b.invoiceOf(second).Number <= i.Number {
		t.Errorf("the second month is %s", second.State)
	}
}

// many adds customers beside that of the till, each with a month that runs.
func (b *till) many(n int, from, to time.Time) {
	b.t.Helper()
	b.exec(`WITH c AS (INSERT INTO customers (id, name, time_zone, created_at)
			SELECT gen_random_uuid(), 'Bakery ' || n, 'UTC', ?0 FROM generate_series(1, ?2) AS n RETURNING id)
		INSERT INTO billing_periods (id, customer_id, number, anchor, from_at, to_at, full_to, state, plans)
		SELECT gen_random_uuid(), id, 1, ?0, ?0, ?1, ?1, 'ACTIVE', jsonb_build_array(jsonb_build_object('plan', 'lite', 'name', 'Lite',
			'monthly', 2900, 'pool', 8000000, 'from', ?0::timestamptz)) FROM c`, from, to, n)
}

// TestBillingRun_crowd: one look closes and bills all whose month is over, however many they are, and those that wait for something keep
// nobody from it.
func TestBillingRun_crowd(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	from, to := t0.AddDate(0, -1, 0), t0
	b.many(450, from, to)
	b.exec(`INSERT INTO billing_customers (customer_id, country, changed_at)
		SELECT id, 'DE', ? FROM customers WHERE name LIKE 'Bakery %' AND length(name) = 10`, t0) // 351 have no tax rate
	b.sells()
	b.at(to.Add(billing.Settle))
	count := func(state string) (n int) {
		t.Helper()
		must(t, b.db.QueryRowContext(t.Context(), "SELECT count(*) FROM billing_periods WHERE state = ?", state).Scan(&n))
		return n
	}
	if active, waiting, billed := count("ACTIVE"), count("CLOSED"), count("BILLED"); active != 0 || waiting != 351 || billed != 99 {
		t.Fatalf("%d run, %d wait, %d are billed", active, waiting, billed)
	}
	b.many(5, from, to.AddDate(0, 0, 1)) // behind more than one look takes up
	b.at(to.AddDate(0, 0, 2))
	if n := count("BILLED"); n != 104 {
		t.Errorf("%d are billed", n)
	}
}

// TestBillingRun_absurd: counts that no meter could have counted never wrap into money: the month waits, and says why.
func TestBillingRun_absurd(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.price(pricing.KindModel, "free", `{"input": 1, "output": 1, "cache_read": 0, "cache_write": 0, "class": "included"}`, time.Time{})
	b.ready(t0)
	b.at(t0)
	p := b.periods()[0]
	b.exec(`INSERT INTO overage_choices (id, customer_id, overage, at, by_kind, by_name)
		VALUES (gen_random_uuid(), ?, true, ?, 'user', 'owner')`, b.of, t0)
	b.price(pricing.KindRate, "USD", "1000000", p.To.Truncate(24*time.Hour))
	for n := range 3 {
		b.uses(t0.Add(time.Duration(n)*time.Hour), "large", usage.House, usage.Counts{Output: math.MaxInt64 / 2})
		b.uses(t0.Add(time.Duration(n)*time.Hour), "free", usage.House, usage.Counts{Input: math.MaxInt64 / 2})
	}
	if o, err := b.Overview(t.Context(), b.of); err != nil || len(o.Draft.Held) == 0 {
		t.Errorf("the customer's page: %v, %q", err, o.Draft.Held)
	}
	b.at(p.To)
	b.at(p.To.Add(billing.Settle))
	if got := b.periods()[0]; got.State != billing.Closed || !strings.Contains(got.Held, "more than can be right") {
		t.Errorf("%s: %q", got.State, got.Held)
	}
}

// TestBillingRun_planRefused: a plan change that cannot be says why, and changes nothing.
func TestBillingRun_planRefused(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	_, err := b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: pricing.Scale}, clerk)
	wantErr(t, err, billing.ErrNoPeriod)
	b.ready(t0)
	b.at(t0)
	b.now = t0.Add(50 * time.Hour)
	_, err = b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: pricing.Build}, clerk)
	wantErr(t, err, billing.ErrSamePlan)
	_, err = b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: "gold"}, clerk)
	wantErr(t, err, pricing.ErrNoPlan)
	b.exec("UPDATE orders SET state = 'ENDED', end_reason = 'closed', ended_at = ?, release_at = ? WHERE id = ?", b.now,
		b.now.AddDate(0, 1, 0), b.order)
	_, err = b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: pricing.Scale}, clerk)
	wantErr(t, err, billing.ErrEnded)
	wantKind(t, err, fault.Conflict)
	if p := b.periods()[0]; len(p.Plans) != 1 || p.Plan().Plan != pricing.Build {
		t.Errorf("%+v", p.Plans)
	}
	var plan string
	must(t, b.db.QueryRowContext(t.Context(), "SELECT plan FROM orders WHERE id = ?", b.order).Scan(&plan))
	var noted int
	must(t, b.db.QueryRowContext(t.Context(), "SELECT count(*) FROM audit_log WHERE action = 'billing.plan'").Scan(&noted))
	if plan != "build" || noted != 0 {
		t.Errorf("plan of the order %s, %d entries of the audit log", plan, noted)
	}
}

// TestBillingRun_planThereAndBack: another plan and back within an hour is as if nothing had been, while the pool covers what was used.
func TestBillingRun_planThereAndBack(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.ready(t0)
	b.at(t0)
	p := b.periods()[0]
	b.now = t0.Add(50 * time.Hour)
	b.uses(t0.Add(time.Hour), "small", usage.House, usage.Counts{Input: 15_000_000})
	b.heard()
	for _, plan := range []pricing.PlanID{pricing.Scale, pricing.Build} {
		_, err := b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: plan}, clerk)
		must(t, err)
	}
	if got := b.periods()[0]; len(got.Plans) != 1 || got.Plan() != p.Plan() {
		t.Errorf("%+v", got.Plans)
	}
	_, err := b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: pricing.Scale}, clerk)
	must(t, err)
	b.uses(t0.Add(2*time.Hour), "small", usage.House, usage.Counts{Input: 1})
	if _, err := b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: pricing.Build}, clerk); fault.Of(err).Code != billing.PoolShort {
		t.Errorf("one token more than the pool: %v", err)
	}
}

// TestBillingRun_pricedLater: hours before the first price of a model are priced by it, and their line says so; a price that is entered
// for the past after the invoice changes nothing about it. A model that is withdrawn is priced by the next price alike.
func TestBillingRun_pricedLater(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.ready(t0)
	b.at(t0)
	p := b.periods()[0]
	const price = `{"input": 0, "output": %d, "cache_read": 0, "cache_write": 0, "class": %q}`
	b.uses(t0.Add(2*time.Hour), "new", usage.House, usage.Counts{Output: 1_000_000})
	b.now = t0.Add(50 * time.Hour)
	b.price(pricing.KindModel, "new", fmt.Sprintf(price, 5_000_000, "premium"), b.now)
	b.uses(t0.Add(60*time.Hour), "new", usage.House, usage.Counts{Output: 2_000_000})
	b.now = t0.Add(100 * time.Hour)
	b.price(pricing.KindModel, "new", fmt.Sprintf(price, 0, "unlisted"), b.now)
	b.uses(t0.Add(110*time.Hour), "new", usage.House, usage.Counts{Output: 4_000_000})
	b.now = p.To.Add(-time.Hour)
	b.price(pricing.KindRate, "USD", "1000000", p.To.Truncate(24*time.Hour))
	b.at(p.To)
	b.at(p.To.Add(billing.Settle))
	if got := b.periods()[0]; got.State != billing.Closed || !strings.Contains(got.Held, "No price of the model new") {
		t.Fatalf("%s: %q", got.State, got.Held)
	}
	relisted := b.now.Add(time.Minute)
	b.now = relisted
	b.price(pricing.KindModel, "new", fmt.Sprintf(price, 6_000_000, "premium"), b.now)
	b.at(b.now.Add(time.Minute))
	var got []string
	i := b.invoiceOf(p)
	for _, l := range i.Lines[1:] {
		got = append(got, fmt.Sprintf("%d %d %s", l.Metered.Tokens.Output, l.Net, l.Metered.Filled))
	}
	want := []string{ // $5 and $6 a million, 15 %
		"2000000 1150 ", "1000000 575 " + t0.Add(50*time.Hour).Format(time.DateOnly), "4000000 2760 " + relisted.Format(time.DateOnly),
	}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("%q, want %q", got, want)
	}
	b.now = b.now.Add(time.Minute)
	b.price(pricing.KindModel, "new", fmt.Sprintf(price, 90_000_000, "premium"), t0)
	if r := b.recomputes(p); !r.Same() {
		t.Errorf("computed again: %+v", r)
	}
}

// TestBillingRun_weights: what a token draws on the pool is what it drew when the month began, all of the month, on the server as in the
// invoice; the next month has the new weights.
func TestBillingRun_weights(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.ready(t0)
	b.at(t0)
	p := b.periods()[0]
	b.uses(t0.Add(time.Hour), "small", usage.House, usage.Counts{CacheRead: 10_000_000})
	b.now = t0.Add(50 * time.Hour)
	b.price(pricing.KindWeights, "", `{"input": 2000, "output": 2000, "cache_read": 500, "cache_write": 2000, "search": 1, "fetch": 1}`,
		b.now)
	b.uses(t0.Add(60*time.Hour), "small", usage.House, usage.Counts{CacheRead: 10_000_000})
	o, err := b.Overview(t.Context(), b.of)
	must(t, err)
	if o.Draft.Drawn != 2_000_000 {
		t.Errorf("%d drawn", o.Draft.Drawn)
	}
	b.at(p.To)
	b.uses(p.To.Add(time.Hour), "small", usage.House, usage.Counts{CacheRead: 10_000_000})
	if o, err = b.Overview(t.Context(), b.of); err != nil || o.Draft.Drawn != 5_000_000 {
		t.Errorf("the next month: %d drawn, %v", o.Draft.Drawn, err)
	}
}

// TestBilling_summaryIsNet: what staff read as open and paid is without what was credited.
func TestBilling_summaryIsNet(t *testing.T) {
	t.Parallel()
	b, i := invoiced(t)
	_, err := b.Credit(t.Context(), i.ID, 10_00, "A bad week.", clerk)
	must(t, err)
	sum, err := b.Summary(t.Context())
	must(t, err)
	if sum.Open.Total != 42_00 {
		t.Errorf("open: %+v", sum.Open)
	}
	must(t, b.Paid(t.Context(), i.ID, "test", b.now))
	_, err = b.Credit(t.Context(), i.ID, 5_00, "Another one.", clerk)
	must(t, err)
	if sum, err = b.Summary(t.Context()); err != nil || sum.PaidMonth.Total != 36_00 || sum.PaidMonth.Count != 1 {
		t.Errorf("paid: %+v, %v", sum.PaidMonth, err)
	}
}

// TestBilling_uncharged: each token is in one month or listed with a reason: what was used before the first month, after the one with
// which the customer left, and what came after its invoice.
func TestBilling_uncharged(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.ready(t0)
	b.at(t0)
	p := b.periods()[0]
	b.price(pricing.KindRate, "USD", "1000000", p.To.Truncate(24*time.Hour))
	b.uses(p.From.Add(-2*time.Hour), "small", usage.House, usage.Counts{Input: 11})
	b.uses(p.From.Add(-2*time.Hour), "mine", usage.Own, usage.Counts{Input: 1000})
	b.uses(p.From, "large", usage.House, usage.Counts{Output: 1000})
	b.uses(p.To, "small", usage.House, usage.Counts{Input: 22}) // the next month, which begins then
	list := func() string {
		t.Helper()
		all, err := b.Uncharged(t.Context(), b.of)
		must(t, err)
		var text []string
		for _, u := range all {
			text = append(text, fmt.Sprintf("%s %d %s", u.Why, u.Tokens, u.From.Sub(p.From)))
		}
		return strings.Join(text, ", ")
	}
	if got := list(); got != "before 11 -2h0m0s" {
		t.Errorf("while the month runs: %q", got)
	}
	b.now = t0.Add(50 * time.Hour)
	b.exec(`UPDATE orders SET state = 'ENDED', end_reason = 'closed', release_at = ?0, ended_at = ?0 WHERE id = ?1`, b.now, b.order)
	b.exec("UPDATE orders SET state = 'RELEASING' WHERE id = ?", b.order)
	b.at(b.now)
	end := b.periods()[0].To
	b.uses(end, "small", usage.House, usage.Counts{Input: 33})
	b.at(end.Add(billing.Settle))
	b.uses(p.From.Add(time.Hour), "large", usage.House, usage.Counts{Output: 500_000})
	want := fmt.Sprintf("before 11 -2h0m0s, between 55 %s, late 500000 0s", end.Sub(p.From))
	if got := list(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

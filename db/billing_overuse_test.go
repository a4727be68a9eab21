package db_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
	"gatehouse/app/usage"
)

// TestBillingRun_overageForMinutes: the server works on as soon as that is chosen. Who chooses it within an hour and takes it back before
// the hour ends is charged for that hour, and for no other one.
func TestBillingRun_overageForMinutes(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.ready(t0)
	b.at(t0)
	p := b.periods()[0]
	hour := t0.Add(50 * time.Hour)
	for _, on := range []bool{true, false} {
		b.now = hour.Add(10 * time.Second)
		if !on {
			b.now = hour.Add(time.Hour - 10*time.Second)
		}
		must(t, b.Chose(t.Context(), b.of, on, clerk))
	}
	b.uses(hour.Add(-time.Hour), "small", usage.House, usage.Counts{Input: 16_000_000})
	b.uses(hour, "small", usage.House, usage.Counts{Input: 20_000_000})
	b.uses(hour.Add(time.Hour), "small", usage.House, usage.Counts{Input: 3_000_000})
	b.price(pricing.KindRate, "USD", "1000000", p.To.Truncate(24*time.Hour))
	o, err := b.Overview(t.Context(), b.of)
	must(t, err)
	if o.Draft.Over != 4_000_000 || o.Draft.Sum(billing.LineOverage) != 4_05 { // $0.15 a million, and 35 %
		t.Errorf("%d tokens are not charged, want 4000000; %d cents, want 405", o.Draft.Over, o.Draft.Sum(billing.LineOverage))
	}
	if o.Overage {
		t.Error("the page says that the team works on")
	}
}

// heard has the server have reported what it used until now.
func (b *till) heard() {
	b.t.Helper()
	b.exec("UPDATE servers SET beat = jsonb_build_object('usage_at', ?::timestamptz), beat_at = ? WHERE id = ?", b.now, b.now, b.srv)
}

// TestChangePlan_largePoolForMinutes: who changes to a large pool, uses it, and changes back within the hour keeps the plan whose pool was
// used until the month ends. What was used is never beyond a pool because of a change.
func TestChangePlan_largePoolForMinutes(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.exec("UPDATE orders SET plan = 'lite' WHERE id = ?", b.order)
	b.ready(t0)
	b.at(t0)
	p := b.periods()[0]
	hour := t0.Add(50 * time.Hour)
	b.now = hour.Add(2 * time.Minute)
	_, err := b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: pricing.Enterprise}, leaver)
	must(t, err)
	b.uses(hour, "small", usage.House, usage.Counts{Input: 30_000_000})
	b.now = hour.Add(55 * time.Minute)
	b.heard()
	pool := b.pool()
	for _, by := range []audit.Actor{leaver, clerk} {
		_, err = b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: pricing.Lite}, by)
		f := fault.Of(err)
		for _, want := range []string{
			"30\u202f000\u202f000 tokens", "8\u202f000\u202f000", "Nothing was changed", p.To.Format(time.DateOnly),
		} {
			if f.Code != billing.PoolShort || f.Kind != fault.Conflict || !strings.Contains(f.Public, want) {
				t.Errorf("%s: %v says nothing of %q: %s", by.Kind, err, want, f.Public)
			}
		}
	}
	if _, err := b.PreviewPlan(t.Context(), b.of, pricing.Lite); fault.Of(err).Code != billing.PoolShort {
		t.Errorf("a look at it: %v", err)
	}
	if got := b.pool(); got != pool || b.orderNow().Plan != pricing.Enterprise {
		t.Errorf("a pool of %d, want %d", got, pool)
	}
	all, err := b.Choosable(t.Context(), b.of)
	must(t, err)
	var says []string
	for _, v := range all {
		says = append(says, fmt.Sprintf("%s %t %t %t", v.ID, v.Holds, v.From.Equal(p.To), v.Unknown))
	}
	const want = "lite false true false, build false true false, scale false true false, enterprise true false false"
	if got := strings.Join(says, ", "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b.at(p.To)
	b.heard()
	_, err = b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: pricing.Lite}, leaver)
	must(t, err)
	b.at(p.To.Add(billing.Settle))
	if i := b.invoiceOf(p); i.Net < 100_00 || i.Net > 109_00 {
		t.Errorf("the month with the large pool costs %d cents", i.Net)
	}
}

// pool is the pool of the month that runs, as its server is told.
func (b *till) pool() int64 {
	b.t.Helper()
	a, err := b.Allowance(b.t.Context(), b.of)
	must(b.t, err)
	return a.Pool.Tokens
}

// TestChangePlan_usageUnknown: while the server has not told what was used until now, no plan with a smaller pool can be chosen; a larger
// one can, also when more is used than it has.
func TestChangePlan_usageUnknown(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.ready(t0)
	b.at(t0)
	b.now = t0.Add(50 * time.Hour)
	lower := func() error {
		_, err := b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: pricing.Lite}, leaver)
		return err
	}
	wantErr(t, lower(), billing.ErrUsageUnknown) // it has never told
	b.heard()
	b.now = b.now.Add(6 * time.Minute)
	wantErr(t, lower(), billing.ErrUsageUnknown)
	all, err := b.Choosable(t.Context(), b.of)
	must(t, err)
	if !all[0].Unknown || all[0].ID != pricing.Lite || all[1].Unknown || !all[1].Holds || all[2].Unknown {
		t.Errorf("%+v", all)
	}
	b.uses(t0, "nameless", usage.House, usage.Counts{Input: 1}) // has no price, so nobody knows what it draws
	b.heard()
	wantErr(t, lower(), billing.ErrUsageUnknown)
	b.price(pricing.KindModel, "nameless", `{"input": 1, "output": 1, "cache_read": 1, "cache_write": 1, "class": "included"}`,
		time.Time{})
	b.uses(t0, "small", usage.House, usage.Counts{Input: 14_000_000})
	if err := lower(); fault.Of(err).Code != billing.PoolShort {
		t.Errorf("more is used than the plan has: %v", err)
	}
	b.uses(t0.Add(time.Hour), "small", usage.House, usage.Counts{Input: 80_000_000})
	b.now = b.now.Add(time.Hour)
	_, err = b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: pricing.Scale}, leaver)
	must(t, err)
}

// TestPreviewPlan_overage: what was used beyond the pool is part of what another plan changes.
func TestPreviewPlan_overage(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.ready(t0)
	b.at(t0)
	must(t, b.Chose(t.Context(), b.of, true, clerk))
	b.uses(t0.Add(time.Hour), "small", usage.House, usage.Counts{Input: 25_000_000})
	b.now = t0.Add(2 * time.Hour)
	b.price(pricing.KindRate, "USD", "1000000", b.now.Truncate(24*time.Hour))
	d, err := b.PreviewPlan(t.Context(), b.of, pricing.Enterprise)
	must(t, err)
	if d.OverBefore != 2_03 || d.OverAfter != 0 { // 10 M at $0.15 a million, and 35 %
		t.Errorf("%d and %d cents", d.OverBefore, d.OverAfter)
	}
}

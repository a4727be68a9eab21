package db_test

import (
	"testing"
	"time"

	"gatehouse/app/billing"
	"gatehouse/app/page"
	"gatehouse/app/pricing"
	"gatehouse/app/usage"
)

// TestBilling_founders: who is a founding member now is listed with the pool and how long that holds, and nobody else.
func TestBilling_founders(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	list := func() []billing.Founder {
		t.Helper()
		of, err := b.Founders(t.Context(), page.Ask{})
		must(t, err)
		return of.Items
	}
	if all := list(); len(all) != 0 {
		t.Fatalf("nobody is one, and %+v is listed", all)
	}
	must(t, b.Found(t.Context(), b.of, 3, clerk))
	other := placed(t, b.db).Order.CustomerID
	must(t, b.Found(t.Context(), other, 2, clerk))
	all := list()
	if len(all) != 2 {
		t.Fatalf("%+v", all)
	}
	for _, f := range all {
		want := map[bool]int64{true: 3, false: 2}[f.CustomerID == b.of]
		if f.Multiplier != want || f.Customer == "" || !f.From.Equal(t0) || !f.Until.Equal(t0.AddDate(1, 0, 0)) {
			t.Errorf("%+v", f)
		}
	}
	first, err := b.Founders(t.Context(), page.Ask{Limit: 1})
	must(t, err)
	then, err := b.Founders(t.Context(), page.Ask{Limit: 1, After: first.Next})
	must(t, err)
	if len(first.Items) != 1 || len(then.Items) != 1 || then.Next != "" || first.Items[0].CustomerID == then.Items[0].CustomerID {
		t.Errorf("%+v, then %+v", first, then)
	}
	must(t, b.EndFounding(t.Context(), other, clerk))
	if all := list(); len(all) != 1 || all[0].CustomerID != b.of {
		t.Errorf("after one has ended: %+v", all)
	}
	b.now = t0.AddDate(1, 0, 1)
	if all := list(); len(all) != 0 {
		t.Errorf("a year later: %+v", all)
	}
}

// TestBilling_overages: a month that runs is listed once it has drawn more than its pool, with what of that is charged and what is not.
func TestBilling_overages(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.ready(t0)
	b.at(t0)
	b.price(pricing.KindRate, "USD", "1000000", t0.Truncate(24*time.Hour))
	list := func() []billing.Overdrawn {
		t.Helper()
		of, err := b.Overages(t.Context(), page.Ask{})
		must(t, err)
		return of.Items
	}
	p := b.periods()[0]
	pool := p.Plan().Pool
	b.uses(t0.Add(time.Hour), "small", usage.House, usage.Counts{Requests: 1, Input: pool})
	b.now = t0.Add(4 * time.Hour)
	if all := list(); len(all) != 0 {
		t.Fatalf("an exact pool: %+v", all)
	}
	b.uses(t0.Add(2*time.Hour), "small", usage.House, usage.Counts{Requests: 1, Input: 1_000_000})
	all := list()
	if len(all) != 1 || all[0].Period.ID != p.ID || all[0].Draft.Drawn != pool+1_000_000 || all[0].Draft.Over != 1_000_000 ||
		all[0].Draft.Sum(billing.LineOverage) != 0 {
		t.Fatalf("while the team is to pause: %+v", all)
	}
	b.now = t0.Add(150 * time.Minute)
	must(t, b.Chose(t.Context(), b.of, true, clerk))
	b.now = t0.Add(4 * time.Hour)
	if all = list(); len(all) != 1 || all[0].Draft.Over != 0 || all[0].Draft.Sum(billing.LineOverage) != 20 { // $0.15, 35 %: 20.25 cents
		t.Errorf("chosen within the hour: %+v", all)
	}
}

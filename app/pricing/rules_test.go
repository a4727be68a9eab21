package pricing_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gatehouse/app/pricing"
)

// TestBands: every figure of the price list, just below it, at it and just above it.
func TestBands(t *testing.T) {
	t.Parallel()
	m := pricing.FirstMarkups()
	for _, c := range []struct {
		bands pricing.Bands
		cost  int64 // input and output alike, so that it is the blended cost too
		want  int64
	}{
		{m.Premium, 0, 25},
		{m.Premium, 999_999, 25},
		{m.Premium, 1_000_000, 15},
		{m.Premium, 1_000_001, 15},
		{m.Premium, 4_999_999, 15},
		{m.Premium, 5_000_000, 10},
		{m.Premium, 5_000_001, 10},
		{m.Premium, 14_999_999, 10},
		{m.Premium, 15_000_000, 10},
		{m.Premium, 15_000_001, 8},
		{m.Premium, math.MaxInt64, 8},
		{m.Overage, 0, 35},
		{m.Overage, 499_999, 35},
		{m.Overage, 500_000, 25},
		{m.Overage, 500_001, 25},
		{m.Overage, 1_199_999, 25},
		{m.Overage, 1_200_000, 25},
		{m.Overage, 1_200_001, 20},
		{m.Overage, math.MaxInt64, 20},
	} {
		if got := c.bands.Percent(pricing.Prices{Input: c.cost, Output: c.cost}); got != c.want {
			t.Errorf("%d: %d %%, want %d %%", c.cost, got, c.want)
		}
	}
	// Less than half a micro below the edge: the band is decided before the cost is rounded.
	just := pricing.Prices{Input: 1_000_001, Output: 999_998}
	if just.Blended() != 1_000_000 || m.Premium.Percent(just) != 25 {
		t.Errorf("blended %d, %d %%", just.Blended(), m.Premium.Percent(just))
	}
	for _, bad := range []pricing.Bands{
		nil,
		{{1, false, 5}},
		{{2, false, 5}, {2, false, 4}, {0, false, 1}},
		{{0, false, 5}, {0, false, 5}},
		{{0, false, -1}},
		{{0, false, 1001}},
	} {
		if bad.Check() == nil {
			t.Errorf("let through: %v", bad)
		}
	}
	if err := errors.Join(m.Premium.Check(), m.Overage.Check()); err != nil {
		t.Error(err)
	}
}

// TestQuote: what a model costs and what customers pay for it.
func TestQuote(t *testing.T) {
	t.Parallel()
	m := pricing.FirstMarkups()
	for _, c := range []struct {
		in   pricing.Asked
		want pricing.Quoted
	}{
		{pricing.Asked{Input: 3_000_000, Output: 15_000_000, Premium: true}, pricing.Quoted{7_800_000, 10, 3_300_000, 16_500_000}},
		{pricing.Asked{Input: 15_000_000, Output: 75_000_000, Premium: true}, pricing.Quoted{39_000_000, 8, 16_200_000, 81_000_000}},
		{pricing.Asked{Input: 150_000, Output: 600_000}, pricing.Quoted{330_000, 35, 202_500, 810_000}},
		{pricing.Asked{Input: 500_000, Output: 500_000}, pricing.Quoted{500_000, 25, 625_000, 625_000}},
		{pricing.Asked{Input: 1, Output: 2}, pricing.Quoted{1, 35, 1, 3}}, // 1.4; 1.35 and 2.7
		{pricing.Asked{}, pricing.Quoted{0, 35, 0, 0}},
	} {
		if got, err := m.Quote(c.in); err != nil || got != c.want {
			t.Errorf("%+v: %+v, %v", c.in, got, err)
		}
	}
	for _, bad := range []pricing.Asked{{Input: -1}, {Output: -1}, {Input: math.MaxInt64}} {
		if _, err := m.Quote(bad); !errors.Is(err, pricing.ErrTooMuch) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// TestCharge: one token, half a cent, and what does not fit.
func TestCharge(t *testing.T) {
	t.Parallel()
	million := pricing.Tokens{Input: 1_000_000, Output: 1_000_000, CacheRead: 1_000_000, CacheWrite: 1_000_000}
	for situation, c := range map[string]struct {
		t      pricing.Tokens
		base   pricing.Prices
		markup int64
		rate   pricing.Rate
		want   pricing.Cents
		micro  pricing.MicroCents
	}{
		"a million of each": {
			million,
			pricing.Prices{3_000_000, 15_000_000, 300_000, 3_750_000},
			10, 1_000_000, 2426,
			2425_500_000,
		},
		"in euros":                  {pricing.Tokens{Output: 1_000_000}, pricing.Prices{Output: 10_000_000}, 0, 920_000, 920, 920_000_000},
		"one token":                 {pricing.Tokens{Input: 1}, pricing.Prices{Input: 10_000}, 0, 1_000_000, 0, 1},
		"half a cent":               {pricing.Tokens{Input: 1}, pricing.Prices{Input: 5_000 * 1_000_000}, 0, 1_000_000, 1, 500_000},
		"just less than half":       {pricing.Tokens{Input: 1}, pricing.Prices{Input: 5_000*1_000_000 - 1}, 0, 1_000_000, 0, 500_000},
		"a price finer than micros": {pricing.Tokens{Input: 3}, pricing.Prices{Input: 5_000}, 0, 1_000_000, 0, 2}, // 1.5
		"nothing":                   {pricing.Tokens{}, pricing.Prices{3, 3, 3, 3}, 10, 1_000_000, 0, 0},
	} {
		got, err := pricing.Charge(c.t, c.base, c.markup, c.rate)
		micro, err2 := pricing.ChargeMicro(c.t, c.base, c.markup, c.rate)
		if got != c.want || micro != c.micro || err != nil || err2 != nil {
			t.Errorf("%s: %d cents, %d micro-cents, %v, %v", situation, got, micro, err, err2)
		}
	}
	huge := pricing.Tokens{Input: math.MaxInt64}
	if _, err := pricing.Charge(huge, pricing.Prices{Input: math.MaxInt64}, 8, 1_000_000); !errors.Is(err, pricing.ErrTooMuch) {
		t.Errorf("no overflow: %v", err)
	}
	if _, err := pricing.Charge(pricing.Tokens{Input: -1}, pricing.Prices{Input: 1}, 8, 1); !errors.Is(err, pricing.ErrTooMuch) {
		t.Errorf("negative tokens: %v", err)
	}
}

func TestProrate(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for _, c := range []struct {
		amount      int64
		part, whole time.Duration
		want        int64
	}{
		{45_00, 30 * day, 30 * day, 45_00},
		{45_00, 0, 30 * day, 0},
		{45_00, 15 * day, 30 * day, 22_50},
		{29_00, 1 * day, 31 * day, 94},          // 93.55
		{29_00, time.Second, 31 * day, 0},       // 0.001
		{1, 12 * time.Hour, day, 1},             // half a cent
		{1, 12*time.Hour - time.Second, day, 0}, // just less
	} {
		if got, err := pricing.Prorate(c.amount, c.part, c.whole); got != c.want || err != nil {
			t.Errorf("%d for %s of %s: %d, %v", c.amount, c.part, c.whole, got, err)
		}
	}
	for _, bad := range [][3]int64{{1, 2, 1}, {1, 1, 0}, {-1, 1, 1}, {1, -1, 1}} {
		if _, err := pricing.Prorate(bad[0], time.Duration(bad[1])*time.Second, time.Duration(bad[2])*time.Second); err == nil {
			t.Errorf("let through: %v", bad)
		}
	}
	if tax, err := pricing.Tax(45_00, 2000); tax != 9_00 || err != nil {
		t.Errorf("%d, %v", tax, err)
	}
	if tax, _ := pricing.Tax(1_25, 2000); tax != 25 {
		t.Errorf("%d", tax)
	}
}

// TestPool: what draws how much, and what lies beyond the pool.
func TestPool(t *testing.T) {
	t.Parallel()
	w := pricing.FirstWeights()
	drawn, err := w.Drawn(pricing.Use{Tokens: pricing.Tokens{10, 20, 300, 40}, Searches: 1, Fetches: 2})
	if drawn != 10_000+20_000+30_000+40_000+2_000_000+2_000_000 || err != nil {
		t.Errorf("%d, %v", drawn, err)
	}
	used := pricing.Tokens{Input: 100, Output: 50, CacheRead: 10, CacheWrite: 1}
	for _, c := range []struct {
		drawn, left int64
		want        pricing.Tokens
	}{
		{1000, 1000, pricing.Tokens{}},
		{1000, 5000, pricing.Tokens{}},
		{1000, 0, used},
		{1000, -1, used},
		{1000, 500, pricing.Tokens{50, 25, 5, 0}},
	} {
		if got := pricing.Beyond(used, c.drawn, c.left); got != c.want {
			t.Errorf("%d left of %d: %+v", c.left, c.drawn, got)
		}
	}
	if _, err := w.Drawn(pricing.Use{Tokens: pricing.Tokens{Input: math.MaxInt64}}); !errors.Is(err, pricing.ErrTooMuch) {
		t.Errorf("no overflow: %v", err)
	}
}

// TestRules_properties: amounts are never negative and grow with tokens, prices and rates, two charges differ from the one of both
// by a cent at most, a dearer model has no larger markup, and what is beyond the pool and what is not are all there was.
func TestRules_properties(t *testing.T) {
	t.Parallel()
	count := rapid.Int64Range(0, 1e13)
	tokens := rapid.Custom(func(t *rapid.T) pricing.Tokens {
		return pricing.Tokens{count.Draw(t, "input"), count.Draw(t, "output"), count.Draw(t, "read"), count.Draw(t, "write")}
	})
	price := rapid.Int64Range(0, 1e9)
	prices := rapid.Custom(func(t *rapid.T) pricing.Prices {
		return pricing.Prices{price.Draw(t, "p in"), price.Draw(t, "p out"), price.Draw(t, "p read"), price.Draw(t, "p write")}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b, p := tokens.Draw(t, "a"), tokens.Draw(t, "b"), prices.Draw(t, "prices")
		m := pricing.FirstMarkups()
		markup, rate := m.Premium.Percent(p), pricing.Rate(rapid.Int64Range(1, 2e6).Draw(t, "rate"))
		charge := func(x pricing.Tokens, r pricing.Rate) pricing.Cents {
			c, err := pricing.Charge(x, p, markup, r)
			if err != nil {
				t.Skip(err)
			}
			return c
		}
		one, two, both := charge(a, rate), charge(b, rate), charge(a.Plus(b), rate)
		if d := one + two - both; one < 0 || d < -1 || d > 1 {
			t.Fatalf("%d and %d, together %d", one, two, both)
		}
		if both < one || charge(a, rate+1) < one {
			t.Fatal("more costs less")
		}
		dearer := pricing.Prices{Input: p.Input + price.Draw(t, "more"), Output: p.Output}
		if m.Premium.Percent(dearer) > markup || m.Overage.Percent(dearer) > m.Overage.Percent(p) {
			t.Fatal("a dearer model has a larger markup")
		}
		drawn, err := pricing.FirstWeights().Drawn(pricing.Use{Tokens: a})
		if err != nil || drawn < 0 {
			t.Skip(err)
		}
		over := pricing.Beyond(a, drawn, rapid.Int64Range(-1, drawn+1).Draw(t, "left"))
		within := a.Minus(over)
		if within.Plus(over) != a || min(within.Input, within.Output, within.CacheRead, within.CacheWrite, over.Input) < 0 {
			t.Fatalf("%+v beyond of %+v", over, a)
		}
	})
}

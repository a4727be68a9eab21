package year

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"time"
)

// The ledger is what should have been billed, by its own arithmetic.

// tokens are input, output, read from and written to a cache.
type tokens [4]int64

func (t tokens) sum() int64 { return t[0] + t[1] + t[2] + t[3] }

// cell is what a meter counted in an hour of its own clock.
type cell struct {
	hour                 time.Time
	agent, parent, model string
	key                  string
	t                    tokens
	searches, fetches    int64
	estIn, estOut        int64
	requests, estimated  int64
	revision             int64
}

// modelPrice is what a model costs from a moment on.
type modelPrice struct {
	from    time.Time
	base    tokens // USD micros a million
	premium bool
}

type planPrice struct {
	from        time.Time
	cents, pool int64
}

type rate struct {
	day, added time.Time
	micros     int64
}

type weights struct {
	from         time.Time
	t            tokens // thousandths
	search, each int64
}

// prices is everything that has a price, in the order of time.
type prices struct {
	models  map[string][]modelPrice
	plans   map[string][]planPrice
	rates   []rate
	weights []weights
}

func lastFrom[T any](all []T, at time.Time, from func(T) time.Time) (found T, ok bool) {
	for _, x := range all {
		if !from(x).After(at) {
			found, ok = x, true
		}
	}
	return found, ok
}

// model is the price of an hour; that of the first price fills what was before.
func (p prices) model(name string, hour time.Time) (m modelPrice, filled bool) {
	all := p.models[name]
	if m, ok := lastFrom(all, hour, func(m modelPrice) time.Time { return m.from }); ok {
		return m, false
	}
	return all[0], true
}

// rate is that of the week before the end of a month as it was known when the invoice was written, else the first one after.
func (p prices) rate(end, issued time.Time) (int64, bool) {
	var found *rate
	for _, r := range p.rates {
		if r.added.After(issued) {
			continue
		}
		if !r.day.After(end) && end.Sub(r.day) <= 7*24*time.Hour {
			found = &r
		}
	}
	if found != nil {
		return found.micros, true
	}
	for _, r := range p.rates {
		if r.day.After(end) && !r.added.After(issued) {
			return r.micros, true
		}
	}
	return 0, false
}

// markup is the percentage of a price list.
func markup(base tokens, premium bool) int64 {
	ten := base[0]*6 + base[1]*4 // ten times the blended price
	band := func(limits ...int64) int {
		n := 0
		for _, l := range limits {
			if ten >= l {
				n++
			}
		}
		return n
	}
	if premium {
		return []int64{25, 15, 10, 8}[band(10_000_000, 50_000_000, 150_000_001)]
	}
	return []int64{35, 25, 20}[band(5_000_000, 12_000_001)]
}

func halfUp(num, den *big.Int) int64 {
	n := new(big.Int).Lsh(num, 1)
	n.Add(n, den)
	return n.Quo(n, new(big.Int).Lsh(den, 1)).Int64()
}

func share(amount int64, part, whole time.Duration) int64 {
	return halfUp(new(big.Int).Mul(big.NewInt(amount), big.NewInt(int64(part/time.Second))), big.NewInt(int64(whole/time.Second)))
}

// heap is usage that is charged alike.
type heap struct {
	kind, model string
	base        tokens
	filled      bool
}

func (h heap) String() string {
	return fmt.Sprintf("%s %s %v filled %t", h.kind, h.model, h.base, h.filled)
}

// due is what a month should come to.
type due struct {
	plan  int64
	heaps map[heap]tokens
	cents map[heap]int64
	// The pool, and what is drawn on it in thousandths, without models that have no price yet.
	pool, drawn int64
	unpriced    bool
	// Where each token is.
	metered, inPool, unpaid int64
}

func (d due) total() int64 {
	n := d.plan
	for _, c := range d.cents {
		n += c
	}
	return n
}

// month is what a month of a customer should come to, billed when issued.
func (c *customer) month(p prices, from, to, full, issued time.Time) due {
	d := due{heaps: map[heap]tokens{}, cents: map[heap]int64{}}
	times := int64(1)
	if c.foundFrom != (time.Time{}) && !from.Before(c.foundFrom) && from.Before(c.foundUntil) {
		times = c.times
	}
	for i, s := range c.plansIn(p, from, to) {
		end := to
		if all := c.plansIn(p, from, to); i+1 < len(all) {
			end = all[i+1].from
		}
		d.plan += share(s.cents, end.Sub(s.from), full.Sub(from))
		d.pool += share(s.pool, end.Sub(s.from), full.Sub(from)) * times
	}
	w, _ := lastFrom(p.weights, from, func(w weights) time.Time { return w.from })
	for _, b := range c.cellsIn(from, to) {
		d.metered += b.t.sum()
		if len(p.models[b.model]) == 0 {
			d.unpriced = true
			continue
		}
		m, filled := p.model(b.model, b.hour)
		draws := (b.searches*w.search + b.fetches*w.each) * 1000
		t := b.t
		if m.premium {
			d.add(heap{"premium", b.model, m.base, filled}, t)
			t = tokens{}
		}
		for i := range t {
			draws += t[i] * w.t[i]
		}
		over := beyond(t, draws, d.pool*1000-d.drawn)
		d.drawn += draws
		if d.inPool += t.sum() - over.sum(); c.beyond(b.hour) {
			d.add(heap{"overage", b.model, m.base, filled}, over)
		} else {
			d.unpaid += over.sum()
		}
	}
	r, _ := p.rate(to, issued)
	for h, t := range d.heaps {
		n := new(big.Int)
		for i := range t {
			n.Add(n, new(big.Int).Mul(big.NewInt(t[i]), big.NewInt(h.base[i])))
		}
		n.Mul(n, big.NewInt((100+markup(h.base, h.kind == "premium"))*r))
		d.cents[h] = halfUp(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil))
	}
	return d
}

func beyond(t tokens, draws, left int64) (over tokens) {
	for i := range t {
		switch {
		case left >= draws:
		case left <= 0:
			over[i] = t[i]
		default:
			n := new(big.Int).Mul(big.NewInt(t[i]), big.NewInt(draws-left))
			over[i] = n.Quo(n, big.NewInt(draws)).Int64()
		}
	}
	return over
}

func (d due) add(h heap, t tokens) {
	if t == (tokens{}) {
		return
	}
	sum := d.heaps[h]
	for i := range t {
		sum[i] += t[i]
	}
	d.heaps[h] = sum
}

// cellsIn are what the house is to be paid for, in the order in which it draws on the pool.
func (c *customer) cellsIn(from, to time.Time) (all []cell) {
	for _, b := range c.cells {
		if b.key == "house" && !b.hour.Before(from) && b.hour.Before(to) {
			all = append(all, *b)
		}
	}
	slices.SortFunc(all, func(a, b cell) int {
		return cmp.Or(a.hour.Compare(b.hour), cmp.Compare(a.agent, b.agent), cmp.Compare(a.parent, b.parent), cmp.Compare(a.model, b.model))
	})
	return all
}

// beyond says whether what is used beyond the pool in an hour is charged: it is when the team may work on at any time of that hour.
func (c *customer) beyond(hour time.Time) bool {
	charged, next := false, hour.Add(time.Hour)
	for i, o := range c.choices {
		lasts := i+1 == len(c.choices) || c.choices[i+1].at.After(hour)
		charged = charged || o.on && o.at.Before(next) && lasts
	}
	return charged
}

type spanOf struct {
	planPrice
	name string
}

// plansIn are the plans of a month, each from when it held, at the price of then.
func (c *customer) plansIn(p prices, from, to time.Time) (all []spanOf) {
	for _, t := range c.plans {
		hour := t.at.Truncate(time.Hour)
		if !hour.Before(to) {
			break
		}
		at := t.at
		if !hour.After(from) {
			hour, at = from, from
			all = nil
		}
		if n := len(all); n > 0 && all[n-1].from.Equal(hour) {
			all = all[:n-1]
		}
		if t.at.Truncate(time.Hour).Equal(from) && t.at.After(from) {
			at = t.at // changed within the first hour
		}
		price, _ := lastFrom(p.plans[t.plan], at, func(p planPrice) time.Time { return p.from })
		price.from = hour
		if n := len(all); n > 0 && all[n-1].name == t.plan && all[n-1].cents == price.cents && all[n-1].pool == price.pool {
			continue
		}
		all = append(all, spanOf{price, t.plan})
	}
	return all
}

// monthsLater is the same day and hour of the customer's zone some months later, or the last day of a month that has no such day.
func monthsLater(anchor time.Time, n int, zone *time.Location) time.Time {
	a := anchor.In(zone)
	first := time.Date(a.Year(), a.Month()+time.Month(n), 1, a.Hour(), a.Minute(), 0, 0, zone)
	day := a.Day()
	for first.AddDate(0, 0, day-1).Month() != first.Month() {
		day--
	}
	return time.Date(first.Year(), first.Month(), day, a.Hour(), a.Minute(), 0, 0, zone).UTC().Truncate(time.Hour)
}

package year

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"gatehouse/app/billing"
	"gatehouse/app/page"
	"gatehouse/app/pricing"
)

// invoices are all of a customer, the oldest first.
func (h *hub) invoices(c *customer) []billing.Invoice {
	h.Helper()
	of, err := h.bills.InvoicesOf(h.Context(), c.id, page.Ask{Limit: 100})
	h.must(err)
	slices.Reverse(of.Items)
	return of.Items
}

// credits takes some or all of an invoice back.
func (h *hub) credits(c *customer) {
	all := h.invoices(c)
	if len(all) == 0 {
		return
	}
	i := all[h.rnd.IntN(len(all))]
	net := pricing.Cents(1 + h.rnd.Int64N(int64(i.Net)+1))
	if h.one(3) {
		net = i.Net
	}
	_, err := h.bills.Credit(h.Context(), i.ID, net, "As the year wants it.", boss)
	if err != nil && !errors.Is(err, billing.ErrCredit) {
		h.must(err)
	}
}

// settle lets time pass in which nobody does anything: cards work, all reports arrive, and the months in which they count are billed.
func (h *hub) settle(from time.Time) {
	h.Helper()
	h.away = false
	h.stripe.Away(false)
	for _, c := range h.all {
		if !c.never { // a card pays at once; direct debits that are on their way come to their end
			c.byDebit = false
			h.recovers(c)
		}
		for id := range c.changed {
			c.sent = append(c.sent, nil)
			c.letters = append(c.letters, letter{from, nil})
			c.letters[len(c.letters)-1].rows = append(c.letters[len(c.letters)-1].rows, c.cells[id].row())
		}
	}
	for day := 0; day < 140; day += 2 {
		h.clock.set(from.AddDate(0, 0, day).Add(19 * time.Hour))
		h.rate(h.clock.Now())
		for _, c := range h.all {
			c.ended(h.clock.Now())
			h.arrive(c)
			h.banksDecide(c)
		}
		h.clock.set(from.AddDate(0, 0, day).Add(20 * time.Hour))
		h.look()
	}
}

// audit compares all that was billed with what should have been.
func (h *hub) audit() {
	h.Helper()
	var sum struct{ tokens, estimated, inPool, charged, unpaid, outside, cents int64 }
	numbers := 0
	for n, c := range h.all {
		name := fmt.Sprintf("customer %d (%s)", n+1, c.zones[len(c.zones)-1].zone)
		all := h.invoices(c)
		numbers += len(all)
		metered := int64(0)
		for _, p := range h.periods(c) {
			d := c.month(h.prices, p.From, p.To, p.FullTo, time.Now())
			if p.State == billing.Billed {
				i := of(all, p.ID)
				d = c.month(h.prices, p.From, p.To, p.FullTo, i.IssuedAt)
				h.compare(fmt.Sprintf("%s, month %d", name, p.Number), d, p, all)
				sum.cents += d.total()
			}
			metered += d.metered
			sum.inPool += d.inPool
			sum.unpaid += d.unpaid
		}
		sum.tokens += c.answered
		sum.estimated += c.estimated
		outside := h.outside(c)
		sum.outside += outside
		if metered+outside != c.answered {
			h.Errorf("%s: %d tokens answered, %d in months and %d in none", name, c.answered, metered, outside)
		}
		h.money(name, c, all)
	}
	var dunned int
	h.must(h.db.Pool.QueryRow(h.Context(), "SELECT count(*) FROM dunnings WHERE closed_at IS NULL AND state <> 'ended'").Scan(&dunned))
	if dunned != 0 {
		h.Errorf("%d customers are still dunned, and owe nothing", dunned)
	}
	sum.charged = sum.tokens - sum.inPool - sum.unpaid - sum.outside
	h.Logf("%d customers, %d invoices, %d hubs killed: %+v", len(h.all), numbers, h.killed, sum)
	h.Logf("plans asked for, by what was answered: %v", h.refused)
	if sum.charged <= 0 || sum.inPool <= 0 || sum.unpaid <= 0 || h.refused[billing.PoolShort] == 0 || h.refused[""] == 0 {
		h.Error("the year is too quiet to say anything")
	}
	h.Logf("payments: %v", h.happened)
	for _, what := range []string{
		"a direct debit came back", "a dispute was won", "a dispute was lost", "an order ended unpaid", "an order ended after a dispute",
	} {
		if h.happened[what] == 0 {
			h.Errorf("the year is too quiet: never happened that %s", what)
		}
	}
}

func of(all []billing.Invoice, id billing.PeriodID) billing.Invoice {
	for _, i := range all {
		if i.PeriodID == id {
			return i
		}
	}
	return billing.Invoice{}
}

// periods are the months of a customer, which have to be those that the calendar says.
func (h *hub) periods(c *customer) (all []billing.Period) {
	h.Helper()
	rows, err := h.db.Pool.Query(h.Context(), "SELECT id::text FROM billing_periods WHERE customer_id = $1 ORDER BY number", c.id)
	h.must(err)
	var ids []billing.PeriodID
	for rows.Next() {
		var id billing.PeriodID
		h.must(rows.Scan(&id))
		ids = append(ids, id)
	}
	h.must(rows.Err())
	for _, id := range ids {
		p, err := h.bills.Store.Period(h.Context(), id)
		h.must(err)
		all = append(all, p)
	}
	want := c.months(h.clock.Now())
	if len(want) != len(all) {
		h.Errorf("%s has %d months, want %d", c.id, len(all), len(want))
		return all
	}
	for i, p := range all {
		if !p.From.Equal(want[i][0]) || !p.To.Equal(want[i][1]) {
			h.Errorf("%s, month %d: %s to %s, want %s to %s", c.id, i+1, p.From, p.To, want[i][0], want[i][1])
		}
	}
	return all
}

// months are the months that a customer has by the calendar, until now.
func (c *customer) months(now time.Time) (all [][2]time.Time) {
	for _, s := range c.stints {
		anchor := s.since.UTC().Truncate(time.Hour)
		if n := len(all); n > 0 && anchor.Before(all[n-1][1]) {
			anchor = all[n-1][1]
		}
		from := anchor
		for n := 1; !from.After(now); n++ {
			to := monthsLater(anchor, n, c.zoneAt(from))
			if to.Sub(from) < 15*24*time.Hour {
				continue
			}
			if end := s.until.Truncate(time.Hour).Add(time.Hour); !s.until.IsZero() && !end.After(to) {
				all = append(all, [2]time.Time{from, end})
				break
			}
			all = append(all, [2]time.Time{from, to})
			if s.cancelled && s.until.Equal(to) {
				break
			}
			from = to
		}
	}
	return all
}

// outside are tokens in no month of a customer, or too late for the last one, as the hub itself lists them.
func (h *hub) outside(c *customer) (sum int64) {
	h.Helper()
	all, err := h.bills.Uncharged(h.Context(), c.id)
	h.must(err)
	for _, u := range all {
		if u.Why != billing.TooLate {
			sum += u.Tokens
		}
	}
	return sum
}

// compare compares what was billed for a month, on its invoice and later, with what it should come to. What was reported after the last
// invoice of somebody who has left can be charged nowhere: the hub lists it.
func (h *hub) compare(name string, d due, p billing.Period, all []billing.Invoice) {
	h.Helper()
	got := due{heaps: map[heap]tokens{}, cents: map[heap]int64{}}
	count := func(l billing.Line, late bool) {
		if l.Kind == billing.LinePlan {
			got.plan += int64(l.Net)
			return
		}
		kind := string(l.Kind)
		if late {
			kind = string(l.Late)
		}
		m := l.Metered
		g := heap{kind, l.Model, tokens{m.Base.Input, m.Base.Output, m.Base.CacheRead, m.Base.CacheWrite}, m.Filled != ""}
		got.add(g, tokens{m.Tokens.Input, m.Tokens.Output, m.Tokens.CacheRead, m.Tokens.CacheWrite})
		got.cents[g] += int64(l.Net)
	}
	for _, i := range all {
		for _, l := range i.Lines {
			switch {
			case l.Kind == billing.LineLate && l.Of == p.ID:
				count(l, true)
			case l.Kind != billing.LineLate && i.PeriodID == p.ID:
				count(l, false)
			}
		}
	}
	r, err := h.bills.Recompute(h.Context(), p.ID)
	h.must(err)
	for _, l := range r.ToCome {
		count(l, true)
	}
	if len(r.ToCome) > 0 && !h.listed(p) {
		h.Errorf("%s: %d lines are still to come", name, len(r.ToCome))
	}
	if got.plan != d.plan {
		h.Errorf("%s: plans billed %d cents, want %d", name, got.plan, d.plan)
	}
	for g := range d.heaps {
		if got.heaps[g] != d.heaps[g] || got.cents[g] != d.cents[g] {
			h.Errorf("%s: %s: %v tokens for %d cents, want %v for %d", name, g, got.heaps[g], got.cents[g], d.heaps[g], d.cents[g])
		}
	}
	for g := range got.heaps {
		if _, known := d.heaps[g]; !known && (got.heaps[g] != tokens{} || got.cents[g] != 0) {
			h.Errorf("%s: %s: %v tokens for %d cents, want none", name, g, got.heaps[g], got.cents[g])
		}
	}
}

// listed says whether the hub lists what was reported too late for a month.
func (h *hub) listed(p billing.Period) bool {
	h.Helper()
	all, err := h.bills.Uncharged(h.Context(), p.CustomerID)
	h.must(err)
	return slices.ContainsFunc(all, func(u billing.Uncharged) bool { return u.Why == billing.TooLate && u.Period == p.ID })
}

// money compares what was invoiced with what was taken.
func (h *hub) money(name string, c *customer, all []billing.Invoice) {
	h.Helper()
	owed := int64(0)
	for _, i := range all {
		net := pricing.Cents(0)
		for _, l := range i.Lines {
			net += l.Net
		}
		tax := (int64(net)*2000*2 + 10_000) / 20_000
		if i.Net != net || int64(i.Tax) != tax || i.Total != i.Net+i.Tax {
			h.Errorf("%s: invoice %s: %d + %d = %d cents, lines come to %d, tax to %d", name, i.Number, i.Net, i.Tax, i.Total, net, tax)
		}
		if !c.paid(i) {
			h.Errorf("%s: invoice %s is %s", name, i.Number, i.State)
		}
		if i.State != billing.Uncollectible {
			owed += int64(i.Owed())
		}
	}
	if got := h.stripe.Taken(c.payer); got != owed {
		h.Errorf("%s: %d cents were taken, %d invoiced", name, got, owed)
	}
}

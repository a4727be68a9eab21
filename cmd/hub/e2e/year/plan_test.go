package year

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/billing"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
)

// untold hears of orders that change.
type untold struct{}

func (untold) OrderChanged(context.Context, account.CustomerID, order.ID) {}

// turns has a customer ask for another plan. By the ledger it is known whether they get it.
func (h *hub) turns(c *customer, plan string) {
	h.Helper()
	h.beats(c)
	at := h.clock.Now()
	want := h.refusal(c, planChosen{at, plan})
	_, err := h.bills.ChangePlan(h.Context(), c.id, billing.Wish{Plan: pricing.PlanID(plan)}, boss)
	got := ""
	if err != nil {
		got = fault.Of(err).Code
	}
	if got != want {
		h.Fatalf("%s, %s: %s chosen: %q (%v), want %q", at.Format(time.DateTime), c.id, plan, got, err, want)
	}
	h.refused[want]++
	if want == "" {
		c.plans = append(c.plans, planChosen{at, plan})
	}
}

// refusal is why a customer does not get another plan, as the code of a fault; empty: they get it.
func (h *hub) refusal(c *customer, next planChosen) string {
	switch {
	case !c.ends.IsZero():
		return "plan-ends"
	case c.plans[len(c.plans)-1].plan == next.plan:
		return "same-plan"
	}
	all := c.months(next.at)
	m := all[len(all)-1]
	then := *c
	then.plans = append(slices.Clone(c.plans), next)
	before, after := c.month(h.prices, m[0], m[1], m[1], next.at), then.month(h.prices, m[0], m[1], m[1], next.at)
	switch {
	case after.pool >= before.pool:
		return ""
	case c.late() || after.unpriced:
		return "usage-unknown"
	case after.drawn >= (after.pool+1)*1000:
		return billing.PoolShort
	}
	return ""
}

// late says whether something that the server counted has not arrived yet.
func (c *customer) late() bool { return len(c.changed) > 0 || len(c.letters) > 0 }

// beats has the server say until when all that was used has arrived.
func (h *hub) beats(c *customer) {
	h.Helper()
	known := h.clock.Now()
	if c.late() {
		known = known.Add(-time.Hour)
	}
	const beat = "UPDATE servers SET beat = jsonb_build_object('usage_at', $2::timestamptz), beat_at = $2 WHERE id = $1"
	_, err := h.db.Pool.Exec(h.Context(), beat, c.server, known)
	h.must(err)
}

// catchesUp has all that the server counted arrive.
func (h *hub) catchesUp(c *customer) {
	h.Helper()
	now := h.clock.Now()
	for i := range c.letters {
		c.letters[i].at = now
	}
	var rows []wire.UsageRow
	for _, id := range slices.Sorted(maps.Keys(c.changed)) {
		rows = append(rows, c.cells[id].row())
	}
	clear(c.changed)
	if len(rows) > 0 {
		c.letters = append(c.letters, letter{now, rows})
		c.sent = append(c.sent, rows)
	}
	h.arrive(c)
}

// grasps is a customer who takes the plan with the largest pool, uses much of it, and gives it back within the hour.
func (h *hub) grasps(c *customer) {
	h.Helper()
	if !c.ends.IsZero() {
		h.cancels(c)
	}
	was := c.plans[len(c.plans)-1].plan
	if was == "enterprise" {
		was = "lite"
		h.turns(c, was)
	}
	h.catchesUp(c)
	h.turns(c, "enterprise")
	h.hurries(c)
	h.turns(c, was)
	h.catchesUp(c)
	h.turns(c, was)
}

// wavers is a customer who lets the team work on beyond the pool for a part of an hour, and has it use much in that time.
func (h *hub) wavers(c *customer) {
	h.Helper()
	h.chooses(c, true)
	h.hurries(c)
	h.chooses(c, false)
}

// hurries has a team use much within the hour that runs.
func (h *hub) hurries(c *customer) {
	b := &cell{hour: h.clock.Now().Truncate(time.Hour), agent: "secretary", model: "small", key: "house"}
	id := fmt.Sprint(b.hour.Unix(), b.agent, b.parent, b.model, b.key)
	if c.cells[id] == nil {
		c.cells[id] = b
	}
	h.count(c, c.cells[id], 40_000_000)
	c.changed[id] = true
}

// cancels has a customer end the plan with the month, or take that back.
func (h *hub) cancels(c *customer) {
	h.Helper()
	if !c.ends.IsZero() {
		_, err := h.bills.TakeBack(h.Context(), c.id, boss)
		h.must(err)
		c.ends = time.Time{}
		return
	}
	all := c.months(h.clock.Now())
	said, err := h.bills.Cancel(h.Context(), c.id, boss)
	h.must(err)
	if c.ends = all[len(all)-1][1]; !said.EndsAt.Equal(c.ends) {
		h.Errorf("%s: cancelled to %s, the month ends %s", c.id, said.EndsAt, c.ends)
	}
}

// ended says whether the plan of a customer has ended with a month, and has their server rest.
func (c *customer) ended(now time.Time) bool {
	if c.ends.IsZero() || now.Before(c.ends) {
		return false
	}
	s := c.stint()
	s.until, s.cancelled, c.ends = c.ends, true, time.Time{}
	return true
}

// moves has a customer live in another zone from now on. The month that runs ends as it was to.
func (h *hub) moves(c *customer) {
	h.Helper()
	h.chore(h.bills.CloseDue)
	zone := zones[h.rnd.IntN(len(zones))]
	_, err := h.db.Pool.Exec(h.Context(), "UPDATE customers SET time_zone = $2 WHERE id = $1", c.id, zone)
	h.must(err)
	c.zones = append(c.zones, zoned{h.clock.Now(), h.zone(zone)})
}

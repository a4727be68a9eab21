package year

import (
	"maps"
	"slices"
	"time"

	"gatehouse/app/billing"
)

// Some pay by direct debit, which the bank carries out days later or not at all. Some have their bank take a payment back. Some never pay
// again: their orders end.

// debited is a direct debit on its way, with the day on which the bank decides.
type debited struct {
	at time.Time
	ok bool
}

// debits has a customer pay by direct debit from now on.
func (h *hub) debits(c *customer) {
	c.byDebit = true
	h.stripe.NewDebit(c.payer)
}

// banksDecide is what the bank says of direct debits: one in four comes back.
func (h *hub) banksDecide(c *customer) {
	now := h.clock.Now()
	for _, id := range h.stripe.Processing(c.payer) {
		if _, known := c.debitsOut[id]; !known {
			c.debitsOut[id] = debited{now.AddDate(0, 0, 3+h.rnd.IntN(5)), !h.one(4)}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.debitsOut)) {
		d := c.debitsOut[id]
		if d.at.After(now) {
			continue
		}
		delete(c.debitsOut, id)
		h.stripe.Settle(id, d.ok)
		if !d.ok {
			h.happened["a direct debit came back"]++
		}
	}
}

// disputes has the bank of a customer take a payment back, and decide on that days later.
func (h *hub) disputes(c *customer) {
	now := h.clock.Now()
	if c.dispute != "" {
		if now.After(c.decided) {
			how := "won"
			if c.lost = h.one(2); c.lost {
				how = "lost"
			}
			h.stripe.CloseDispute(c.dispute, how)
			h.happened["a dispute was "+how]++
			c.dispute, c.settled = "", true
		}
		return
	}
	paid := h.stripe.Succeeded(c.payer)
	if c.settled || len(paid) == 0 || !h.one(60) || !c.ends.IsZero() {
		return
	}
	c.dispute, c.decided = h.stripe.Dispute(paid[h.rnd.IntN(len(paid))]), now.AddDate(0, 0, 4+h.rnd.IntN(9))
}

// defaults has a customer never pay again.
func (h *hub) defaults(c *customer) {
	c.never, c.byDebit = true, false
	h.stripe.NewCard(c.payer)
	h.stripe.Bank(c.payer, "insufficient_funds")
}

// unpaidEnds has the servers rest whose orders have ended because they were not paid: their month ends with the hour.
func (h *hub) unpaidEnds() {
	h.Helper()
	for _, c := range h.all {
		if !c.never && !c.lost || !c.works() {
			continue
		}
		var ended bool
		h.must(h.db.Pool.QueryRow(h.Context(), "SELECT state = 'ENDED' FROM orders WHERE id = $1", c.order).Scan(&ended))
		if ended {
			c.stint().until = h.clock.Now()
			if c.never {
				h.happened["an order ended unpaid"]++
			} else {
				h.happened["an order ended after a dispute"]++
			}
			h.chore(h.bills.CloseDue)
		}
	}
}

// gone says whether a customer is not to come back: they owe something.
func (c *customer) gone() bool { return c.never || c.lost }

// paid says whether an invoice stands as it should when all is over.
func (c *customer) paid(i billing.Invoice) bool {
	return i.State == billing.Paid || i.State == billing.Void || c.never && i.State == billing.Uncollectible
}

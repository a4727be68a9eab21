package billing

import (
	"time"

	"gatehouse/app/account"
	"gatehouse/app/pricing"
)

// PeriodID names a period.
type PeriodID string

// PeriodState is how a period stands.
type PeriodState string

// The states of a period; it moves forward only.
const (
	Active PeriodState = "ACTIVE" // it runs
	Closed PeriodState = "CLOSED" // its time is over; its invoice is still to come
	Billed PeriodState = "BILLED" // its invoice is issued: nothing about it changes any more
	Waived PeriodState = "WAIVED" // it is over and not charged, because the order was refunded whole
)

// Period is one month of a customer. From and To are whole hours (UTC), as usage is counted; To is no part of it.
type Period struct {
	ID         PeriodID
	CustomerID account.CustomerID
	Number     int       // of the customer, from 1
	Anchor     time.Time // when the first period began: all others end at its anniversaries
	From, To   time.Time
	FullTo     time.Time // when the month would have ended: after To when the customer left before
	State      PeriodState
	Plans      []Span // what plan held from when; at least one
	Multiplier int64  // of the pool: more than 1 for founding members, as it was when the period began
	ClosedAt   time.Time
	BilledAt   time.Time
	Held       string // CLOSED only: why there is no invoice yet, in words for our staff; empty when nothing is in the way
}

// Span is a plan from a moment to the next span or the end of the period. Price and pool are those of a whole month, as they were
// when the span began.
type Span struct {
	Plan    pricing.PlanID `json:"plan"`
	Name    string         `json:"name"`
	Monthly pricing.Cents  `json:"monthly"`
	Pool    int64          `json:"pool"`
	From    time.Time      `json:"from"`
}

// trimmed is p without plans that begin only when it is over.
func (p Period) trimmed() Period {
	for n := len(p.Plans); n > 1 && !p.Plans[n-1].From.Before(p.To); n-- {
		p.Plans = p.Plans[: n-1 : n-1]
	}
	return p
}

// over says whether the time of p is over.
func (p Period) over(now time.Time) bool { return !now.Before(p.To) }

// Plan is the plan that holds last.
func (p Period) Plan() Span { return p.Plans[len(p.Plans)-1] }

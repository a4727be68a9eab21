package billing

import (
	"slices"
	"time"

	"gatehouse/app/account"
)

// Profile is how a customer is billed, as the customer and our staff have said it. The zero value says nothing.
type Profile struct {
	CustomerID    account.CustomerID
	Name          string // on invoices; empty: that of the business
	Address       string
	Country       string // two letters; empty: that of the seller
	VATID         string
	Multiplier    int64     // of the pool of a founding member
	FoundingFrom  time.Time // zero: no founding member
	FoundingUntil time.Time
}

// multiplier is what the pool of a period that begins then is multiplied with.
func (p Profile) multiplier(begins time.Time) int64 {
	if p.FoundingFrom.IsZero() || begins.Before(p.FoundingFrom) || !begins.Before(p.FoundingUntil) {
		return 1
	}
	return max(p.Multiplier, 1)
}

// Buyer is a customer as an invoice names it.
type Buyer struct {
	Name, Address, Email, TimeZone string
	Plan                           string // of the order that counts; empty: none
	Served                         bool   // the server works: periods follow each other
	Ended                          bool   // the order has ended: the server is there for a while yet
	Refunded                       bool   // it has ended because all of it was refunded: nothing of it is charged any more
	Ready                          time.Time
	LastNumber                     int       // of the newest period; 0: none
	LastTo                         time.Time // its end
}

// Choice says what happens when the pool of a customer is empty.
type Choice struct {
	Overage bool // the team works on, and what it uses is charged; else it pauses
	At      time.Time
	ByKind  string
	ByID    string
	ByName  string
}

// overageAt says whether the team works on beyond the pool at a moment.
func overageAt(all []Choice, at time.Time) bool {
	on := false
	for _, c := range all {
		if !c.At.After(at) {
			on = c.Overage
		}
	}
	return on
}

// overageIn says whether usage beyond the pool in the hour that begins then is charged: when the team worked on in any part of it. The
// server works on as soon as that is chosen, and usage is counted by the hour.
func overageIn(all []Choice, hour time.Time) bool {
	return overageAt(all, hour) || slices.ContainsFunc(all, func(c Choice) bool {
		return c.Overage && c.At.After(hour) && c.At.Before(hour.Add(time.Hour))
	})
}

package pricing

import (
	"math"
	"math/big"
	"time"
)

// How far a forecast looks back, and how much of a period must be over before there is one: what a team does on its first day says
// little about its month.
const (
	paceSpan  = 7 * 24 * time.Hour
	paceFirst = 2 * 24 * time.Hour
)

// PaceSince is from when on what was drawn says how fast a pool is used at now, in a period that began at from. A whole hour, as usage
// is counted.
func PaceSince(from, now time.Time) time.Time {
	if since := now.Add(-paceSpan).Truncate(time.Hour); since.After(from) {
		return since
	}
	return from
}

// Pace is how fast a pool was drawn on lately.
type Pace struct {
	From, To time.Time // of the period
	Now      time.Time
	Pool     int64 // tokens
	Drawn    int64 // since From, also beyond the pool
	Recent   int64 // part of Drawn: since PaceSince
}

// Outlook is how a period will end if its team goes on as it did.
type Outlook struct {
	Known bool      // false: too little of the period is over to say
	Total int64     // tokens drawn by its end, also beyond the pool
	Ends  time.Time // when the pool is used up; zero: it lasts to the end of the period, or there is nothing left of it already
}

// Outlook says how the period will end at this pace.
func (p Pace) Outlook() Outlook {
	now := p.Now
	if now.After(p.To) {
		now = p.To
	}
	if now.Sub(p.From) < paceFirst {
		return Outlook{}
	}
	part := int64(now.Sub(PaceSince(p.From, now)) / time.Second)
	more := share(p.Recent, int64(p.To.Sub(now)/time.Second), part)
	if more > math.MaxInt64-p.Drawn {
		more = math.MaxInt64 - p.Drawn
	}
	o := Outlook{Known: true, Total: p.Drawn + more}
	left := p.Pool - p.Drawn
	if left > 0 && o.Total > p.Pool { // so something was drawn lately
		o.Ends = now.Add(time.Duration(share(part, left, p.Recent)) * time.Second)
	}
	return o
}

// share is n·part/whole, rounded down; what does not fit is as large as a number can be.
func share(n, part, whole int64) int64 {
	v := new(big.Int).Mul(big.NewInt(n), big.NewInt(part))
	if v.Quo(v, big.NewInt(whole)); !v.IsInt64() {
		return math.MaxInt64
	}
	return v.Int64()
}

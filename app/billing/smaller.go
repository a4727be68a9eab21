package billing

import (
	"context"
	"strconv"
	"strings"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
)

// PoolShort is the code of the fault which says that a plan leaves the month less than was drawn already.
const PoolShort = "pool-short"

// ErrUsageUnknown refuses a smaller plan while nobody knows what was used.
var ErrUsageUnknown = fault.New(fault.Conflict, "usage-unknown", "usage is not known up to now",
	"It is not known how many tokens were used until now, so no plan with a smaller pool can be chosen. Nothing was changed. "+
		"Try again when the server is connected and has reported.")

// freshFor is how old the reports of a server may be: they come within a minute.
const freshFor = 5 * time.Minute

// drawn is what a customer has drawn in a period so far.
type drawn struct {
	Draft
	fresh bool
	zone  *time.Location
}

// drawnIn reads what was drawn in a period.
func (s *Service) drawnIn(ctx context.Context, book pricing.Book, p Period) (d drawn, err error) {
	buyer, err := s.Store.Buyer(ctx, p.CustomerID)
	if err != nil {
		return d, err
	}
	d.zone = zoneOf(buyer.TimeZone)
	upTo, err := s.Usage.UpTo(ctx, p.CustomerID) // before the buckets: what is reported meanwhile is read too
	if err != nil {
		return d, err
	}
	d.fresh = s.now().Sub(upTo) <= freshFor
	d.Draft, err = s.usageOf(ctx, book, p, earlier(s.now(), p.To))
	return d, err
}

// fits refuses another plan that makes the pool smaller than what was drawn: what is beyond would be a gift, or charged afterwards. A
// larger pool is never refused.
func (d drawn) fits(book pricing.Book, after Period) error {
	then, err := compute(book, after, nil, nil, after.From)
	switch {
	case err != nil:
		return err
	case then.Pool >= d.Pool:
		return nil
	case !d.fresh || d.Partial:
		return ErrUsageUnknown
	case d.Drawn > then.Pool:
		return poolShort(d.Drawn, then.Pool, after.To.In(d.zone))
	}
	return nil
}

func poolShort(drawn, pool int64, from time.Time) error {
	return fault.New(fault.Conflict, PoolShort, "more is drawn than the pool would be",
		grouped(drawn)+" tokens were used this month, and with this plan the month would have "+grouped(pool)+
			". Nothing was changed. From "+from.Format(time.DateOnly)+" on, when the next month begins, this plan can be chosen.")
}

// grouped writes a count in groups of three digits with narrow spaces, which are read alike in every language.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteRune('\u202f')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// Choosable is a plan as it is sold, and whether a customer can change to it.
type Choosable struct {
	pricing.Plan
	Holds   bool      // it is the plan that the customer has
	From    time.Time // when it can be chosen, because more is drawn than it would leave the month; zero: now
	Unknown bool      // it cannot be chosen until the server has reported what was used
}

// Choosable lists the plans as they are sold now, cheapest first, for a customer whose plan runs. It refuses what ChangePlan does of
// every plan.
func (s *Service) Choosable(ctx context.Context, of account.CustomerID) ([]Choosable, error) {
	p, err := s.running(ctx, of)
	if err != nil {
		return nil, err
	}
	book, err := s.Store.Book(ctx)
	if err != nil {
		return nil, err
	}
	d, err := s.drawnIn(ctx, book, p)
	if err != nil {
		return nil, err
	}
	plans, err := book.Plans(s.now())
	if err != nil {
		return nil, err
	}
	all := make([]Choosable, len(plans))
	for i, v := range plans {
		all[i].Plan = v
		if all[i].Holds = v.ID == p.Plan().Plan; all[i].Holds {
			continue
		}
		after, err := p.onto(Span{Plan: v.ID, Name: v.Name, Monthly: v.Monthly, Pool: v.Pool}, s.now())
		if err == nil {
			err = d.fits(book, after)
		}
		switch f := fault.Of(err); {
		case err == nil:
		case f.Code == PoolShort:
			all[i].From = p.To.In(d.zone)
		case f == ErrUsageUnknown:
			all[i].Unknown = true
		default:
			return nil, err
		}
	}
	return all, nil
}

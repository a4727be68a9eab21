package margin

import (
	"context"
	"time"

	"gatehouse/app/pricing"
)

// Total is what all customers used in a month with the operator's key, and what was invoiced in it less what was credited.
type Total struct {
	Month    time.Time // when it began, UTC
	Requests int64
	Tokens   int64
	Unpriced int64
	Cost     Micros
	Net      pricing.Cents
}

// Trend is how a month of all customers stands: the total that Month has.
type Trend struct {
	From    time.Time
	Running bool
	Sum
}

// trendMonths is how many months Months looks at, the present one among them.
const trendMonths = 13

// Months says how the last thirteen months stand, the oldest first. Those before the first with anything in it are left out.
func (s *Service) Months(ctx context.Context) (all []Trend, err error) {
	now := s.Now().UTC()
	to := monthOf(now).AddDate(0, 1, 0)
	from := to.AddDate(0, -trendMonths, 0)
	prices, err := s.prices(ctx, from, now)
	if err != nil {
		return nil, err
	}
	totals, err := s.Store.Totals(ctx, from, to, prices)
	if err != nil || len(totals) == 0 {
		return nil, err
	}
	of := map[time.Time]Total{}
	for _, t := range totals {
		of[t.Month] = t
	}
	for at := totals[0].Month; at.Before(to); at = at.AddDate(0, 1, 0) {
		t := of[at]
		all = append(all, Trend{From: at, Running: at.AddDate(0, 1, 0).After(now), Sum: Sum{
			Requests: t.Requests, Tokens: t.Tokens, Unpriced: t.Unpriced, Cost: t.Cost, Revenue: t.Net,
		}})
	}
	return all, nil
}

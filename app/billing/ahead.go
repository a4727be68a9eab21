package billing

import (
	"context"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/usage"
)

// Files are what is kept about the customers of some periods, read of all of them at once.
type Files struct {
	Buyers   map[account.CustomerID]Buyer
	Profiles map[account.CustomerID]Profile // all have one
	Choices  map[account.CustomerID][]Choice
	Billed   map[PeriodID][]BilledPeriod // the newest before each period, newest first
}

// Hours are the hours of a customer in [From, To).
type Hours struct {
	Of       account.CustomerID
	From, To time.Time
}

// ahead answers what is asked about periods and their customers from what was read of many of them at once: each costs no question
// of its own. It asks for all else.
type ahead struct {
	Store
	Usage

	files   Files
	periods map[account.CustomerID]Period
	used    map[Hours][]usage.Bucket
}

// ahead is s with all read before that invoices of periods are made of. Each of their customers has one of the periods.
func (s *Service) ahead(ctx context.Context, all []Period) (*Service, error) {
	a := &ahead{Store: s.Store, Usage: s.Usage, periods: map[account.CustomerID]Period{}, used: map[Hours][]usage.Bucket{}}
	var err error
	if a.files, err = s.Store.Files(ctx, all, lookBack); err != nil {
		return nil, err
	}
	var hours []Hours
	for _, p := range all {
		a.periods[p.CustomerID] = p
		hours = append(hours, Hours{p.CustomerID, p.From, p.To})
	}
	used, err := s.Usage.BucketsOf(ctx, hours)
	if err != nil {
		return nil, err
	}
	for i, h := range hours {
		a.used[h] = used[i]
	}
	t := *s
	t.Store, t.Usage = a, a
	return &t, nil
}

func (a *ahead) Buyer(ctx context.Context, of account.CustomerID) (Buyer, error) {
	if b, ok := a.files.Buyers[of]; ok {
		return b, nil
	}
	return a.Store.Buyer(ctx, of)
}

func (a *ahead) Profile(ctx context.Context, of account.CustomerID) (Profile, error) {
	if p, ok := a.files.Profiles[of]; ok {
		return p, nil
	}
	return a.Store.Profile(ctx, of)
}

func (a *ahead) Choices(ctx context.Context, of account.CustomerID) ([]Choice, error) {
	if _, ok := a.periods[of]; ok {
		return a.files.Choices[of], nil
	}
	return a.Store.Choices(ctx, of)
}

func (a *ahead) BilledBefore(ctx context.Context, of account.CustomerID, before time.Time, limit int) ([]BilledPeriod, error) {
	if p, ok := a.periods[of]; ok && p.From.Equal(before) && limit == lookBack {
		return a.files.Billed[p.ID], nil
	}
	return a.Store.BilledBefore(ctx, of, before, limit)
}

func (a *ahead) Buckets(ctx context.Context, of account.CustomerID, from, to time.Time) ([]usage.Bucket, error) {
	if used, ok := a.used[Hours{of, from, to}]; ok {
		return used, nil
	}
	return a.Usage.Buckets(ctx, of, from, to)
}

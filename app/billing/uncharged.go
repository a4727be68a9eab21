package billing

import (
	"context"
	"time"

	"gatehouse/app/account"
)

// WhyUncharged is why usage with the operator's key stands on no invoice.
type WhyUncharged string

// The reasons.
const (
	BeforeMonths  WhyUncharged = "before"  // it was used before the first month began: while the server was set up
	BetweenMonths WhyUncharged = "between" // it was used after a month had ended with which the customer left
	TooLate       WhyUncharged = "late"    // it was reported after the last invoice that looks back to it
)

// Uncharged is usage that stands on no invoice and will stand on none. What a pool covers, and what is beyond it while the team is to
// pause, is none of it: that belongs to a month.
type Uncharged struct {
	Why      WhyUncharged
	Period   PeriodID  // of TooLate
	From, To time.Time // the hours in which it was used; To is none of them
	Tokens   int64
}

// mostLooked is how many billed periods are looked through for what was reported too late.
const mostLooked = 24

// Uncharged lists what a customer used that stands on no invoice and will stand on none, the oldest first: each token that a meter
// counted is in one month or in this list. It is for our staff.
func (s *Service) Uncharged(ctx context.Context, of account.CustomerID) ([]Uncharged, error) {
	all, err := s.Store.OutsidePeriods(ctx, of)
	if err != nil {
		return nil, err
	}
	book, err := s.Store.Book(ctx)
	if err != nil {
		return nil, err
	}
	open, err := s.Store.HasOpen(ctx, of)
	if err != nil {
		return nil, err
	}
	billed, err := s.Store.BilledBefore(ctx, of, s.now().Add(farAhead), mostLooked)
	if err != nil {
		return nil, err
	}
	if open { // its invoice looks back
		billed = billed[min(lookBack, len(billed)):]
	}
	for _, was := range billed {
		d, err := s.late(ctx, book, was)
		if err != nil {
			return nil, err
		}
		if len(d.Lines) == 0 {
			continue
		}
		u := Uncharged{Why: TooLate, Period: was.Period.ID, From: was.Period.From, To: was.Period.To}
		for _, l := range d.Lines {
			u.Tokens += l.Metered.Tokens.All()
		}
		all = append(all, u)
	}
	return all, nil
}

// farAhead is later than any period begins.
const farAhead = 10 * 365 * 24 * time.Hour

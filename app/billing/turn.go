package billing

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/pricing"
)

// BeginDue begins the first period of customers whose server is ready. It says how many.
func (s *Service) BeginDue(ctx context.Context) (int, error) {
	return passes(ctx, func(after account.CustomerID) ([]account.CustomerID, error) {
		return s.Store.Beginners(ctx, s.now(), after, someDue)
	}, func(of account.CustomerID) (bool, error) {
		ok, err := s.begin(ctx, of)
		if err != nil {
			err = fmt.Errorf("begin period of %s: %w", of, err)
		}
		return ok, err
	})
}

// begin begins a customer's period with the hour in which the server was ready.
func (s *Service) begin(ctx context.Context, of account.CustomerID) (bool, error) {
	buyer, err := s.Store.Buyer(ctx, of)
	if err != nil || !buyer.Served {
		return false, err
	}
	from := buyer.Ready.UTC().Truncate(time.Hour)
	if from.Before(buyer.LastTo) { // they left, and came back: what lies between is not charged
		from = later(buyer.LastTo, s.now().Truncate(time.Hour))
	}
	book, err := s.Store.Book(ctx)
	if err != nil {
		return false, err
	}
	p, err := s.month(ctx, book, of, buyer, from, from, pricing.PlanID(buyer.Plan))
	if err != nil {
		return false, err
	}
	p.Number = buyer.LastNumber + 1
	return s.Store.Begin(ctx, p)
}

// month is a period that begins then, at the prices of then.
func (s *Service) month(
	ctx context.Context, book pricing.Book, of account.CustomerID, buyer Buyer, anchor, from time.Time, plan pricing.PlanID,
) (Period, error) {
	span, err := spanOf(book, plan, from)
	if err != nil {
		return Period{}, err
	}
	profile, err := s.Store.Profile(ctx, of)
	if err != nil {
		return Period{}, err
	}
	to := nextEnd(anchor, from, zoneOf(buyer.TimeZone))
	return Period{
		ID: PeriodID(newID()), CustomerID: of, Anchor: anchor, From: from, To: to, FullTo: to, State: Active,
		Plans: []Span{span}, Multiplier: profile.multiplier(from),
	}, nil
}

func spanOf(book pricing.Book, plan pricing.PlanID, from time.Time) (Span, error) {
	p, err := book.Plan(plan, from)
	return Span{Plan: plan, Name: p.Name, Monthly: p.Monthly, Pool: p.Pool, From: from}, err
}

// CloseDue closes periods whose time is over, or whose customer has no server any more, and begins the next ones. It says how many.
func (s *Service) CloseDue(ctx context.Context) (int, error) {
	var book pricing.Book
	return passes(ctx, func(after Period) (due []Period, err error) {
		if due, err = s.Store.Ending(ctx, s.now(), after.Place(), someDue); err == nil && len(due) > 0 {
			book, err = s.Store.Book(ctx)
		}
		return due, err
	}, func(p Period) (bool, error) {
		if err := s.closePeriod(ctx, book, p); err != nil {
			return false, fmt.Errorf("close period %s: %w", p.ID, err)
		}
		return true, nil
	})
}

func (s *Service) closePeriod(ctx context.Context, book pricing.Book, p Period) error {
	buyer, err := s.Store.Buyer(ctx, p.CustomerID)
	if err != nil {
		return err
	}
	now := s.now()
	var next *Period
	if buyer.Served {
		n, err := s.month(ctx, book, p.CustomerID, buyer, p.Anchor, p.To, p.Plan().Plan)
		if err != nil {
			return err
		}
		n.Number, next = p.Number+1, &n
	}
	_, err = s.Store.ChangePeriod(ctx, p.ID, func(ctx context.Context, p *Period) (*Period, error) {
		switch {
		case p.State != Active:
			return nil, nil
		case next == nil:
			p.endBy(now)
		case !p.over(now):
			return nil, nil // the customer has come back meanwhile
		}
		*p = p.trimmed()
		p.State, p.ClosedAt = Closed, now
		if buyer.Refunded {
			p.State = Waived
		}
		if c, err := s.Cancelled(ctx, p.CustomerID); err != nil || c != nil && !c.EndsAt.After(p.To) {
			return nil, err // it was the last one
		}
		return next, nil
	})
	return err
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// endBy ends a period early, with the hour that runs.
func (p *Period) endBy(now time.Time) {
	end := now.Truncate(time.Hour).Add(time.Hour)
	if end.Before(p.To) && end.After(p.Plan().From) {
		p.To = end
	}
}

package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
)

// BeginDue begins the first period of customers whose server is ready. It says how many.
func (s *Service) BeginDue(ctx context.Context) (done int, err error) {
	due, err := s.Store.Beginners(ctx, someDue)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, of := range due {
		ok, err := s.begin(ctx, of)
		if err != nil {
			errs = append(errs, fmt.Errorf("begin period of %s: %w", of, err))
		}
		if ok {
			done++
		}
	}
	return done, errors.Join(errs...)
}

// begin begins a customer's period with the hour in which the server was ready.
func (s *Service) begin(ctx context.Context, of account.CustomerID) (bool, error) {
	buyer, err := s.Store.Buyer(ctx, of)
	if err != nil || !buyer.Served {
		return false, err
	}
	from := buyer.Ready.UTC().Truncate(time.Hour)
	if from.Before(buyer.LastTo) { // they left, and came back in the same hour
		from = buyer.LastTo
	}
	p, err := s.month(ctx, of, buyer, from, from, pricing.PlanID(buyer.Plan))
	if err != nil {
		return false, err
	}
	p.Number = buyer.LastNumber + 1
	return s.Store.Begin(ctx, p)
}

// month is a period that begins then, at the prices of then.
func (s *Service) month(
	ctx context.Context, of account.CustomerID, buyer Buyer, anchor, from time.Time, plan pricing.PlanID,
) (Period, error) {
	book, err := s.Store.Book(ctx)
	if err != nil {
		return Period{}, err
	}
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
func (s *Service) CloseDue(ctx context.Context) (done int, err error) {
	due, err := s.Store.Ending(ctx, s.now(), someDue)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, p := range due {
		if err := s.closePeriod(ctx, p); err != nil {
			errs = append(errs, fmt.Errorf("close period %s: %w", p.ID, err))
			continue
		}
		done++
	}
	return done, errors.Join(errs...)
}

func (s *Service) closePeriod(ctx context.Context, p Period) error {
	buyer, err := s.Store.Buyer(ctx, p.CustomerID)
	if err != nil {
		return err
	}
	now := s.now()
	var next *Period
	if buyer.Served {
		n, err := s.month(ctx, p.CustomerID, buyer, p.Anchor, p.To, p.Plan().Plan)
		if err != nil {
			return err
		}
		n.Number, next = p.Number+1, &n
	}
	_, err = s.Store.ChangePeriod(ctx, p.ID, func(p *Period) (*Period, error) {
		switch {
		case p.State != Active:
			return nil, nil
		case next == nil:
			p.endBy(now)
		case now.Before(p.To):
			return nil, nil // the customer has come back meanwhile
		}
		p.State, p.ClosedAt = Closed, now
		return next, nil
	})
	return err
}

// endBy ends a period early, with the hour that runs.
func (p *Period) endBy(now time.Time) {
	end := now.Truncate(time.Hour).Add(time.Hour)
	if end.Before(p.To) && end.After(p.Plan().From) {
		p.To = end
	}
}

// ErrNoPeriod says that a customer has no period that runs.
var ErrNoPeriod = fault.New(fault.Conflict, "no-period", "no period runs",
	"Your first billing month begins when your server is ready. Nothing was changed.")

// ChangePlan puts a customer on another plan from the hour that runs. Both plans are charged by the second, and their pools add up
// alike.
func (s *Service) ChangePlan(ctx context.Context, of account.CustomerID, plan pricing.PlanID, by audit.Actor) (Period, error) {
	p, err := s.Store.ActiveOf(ctx, of)
	if fault.Of(err).Kind == fault.NotFound && err != nil {
		return p, ErrNoPeriod
	}
	if err != nil {
		return p, err
	}
	book, err := s.Store.Book(ctx)
	if err != nil {
		return p, err
	}
	now := s.now()
	from := now.Truncate(time.Hour)
	span, err := spanOf(book, plan, now)
	if err != nil {
		return p, err
	}
	e := s.entry(of, by, "billing.plan", string(p.ID), map[string]string{"from": string(p.Plan().Plan), "to": string(plan)})
	return s.Store.ChangePlan(ctx, p.ID, plan, *e, func(p *Period) error {
		if p.State != Active {
			return ErrNoPeriod
		}
		span.From = from
		if last := p.Plan(); !last.From.Before(from) { // changed twice within an hour
			span.From = last.From
			p.Plans = p.Plans[:len(p.Plans)-1]
		}
		p.Plans = append(p.Plans, span)
		return nil
	})
}

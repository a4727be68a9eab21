package billing

import (
	"context"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
)

// Refusals of a plan change. Nothing is changed then.
var (
	ErrNoPeriod = fault.New(fault.Conflict, "no-period", "no period runs",
		"Your first billing month begins when your server is ready. Nothing was changed.")
	ErrSamePlan = fault.New(fault.Conflict, "same-plan", "the plan is this one already",
		"This is the plan already. Nothing was changed. Choose another one.")
	ErrEnded = fault.New(fault.Conflict, "order-ended", "the order has ended",
		"The order has ended, so its plan cannot change any more. Nothing was changed. Take the end back first.")
)

// ChangePlan puts a customer on another plan from the hour that runs. Both plans are charged by the second, and their pools add up
// alike. A month whose time is over is closed first, with the plan that it had.
func (s *Service) ChangePlan(ctx context.Context, of account.CustomerID, plan pricing.PlanID, by audit.Actor) (Period, error) {
	p, err := s.current(ctx, of)
	if err != nil {
		return p, err
	}
	buyer, err := s.Store.Buyer(ctx, of)
	switch {
	case err != nil:
		return p, err
	case buyer.Ended:
		return p, ErrEnded
	case p.Plan().Plan == plan:
		return p, ErrSamePlan
	}
	book, err := s.Store.Book(ctx)
	if err != nil {
		return p, err
	}
	now := s.now()
	span, err := spanOf(book, plan, now)
	if err != nil {
		return p, err
	}
	span.From = now.Truncate(time.Hour)
	e := s.entry(of, by, "billing.plan", string(p.ID), map[string]string{"from": string(p.Plan().Plan), "to": string(plan)})
	return s.Store.ChangePlan(ctx, p.ID, plan, *e, func(p *Period) error {
		switch {
		case p.State != Active || p.over(now):
			return ErrNoPeriod
		case p.Plan().Plan == plan:
			return ErrSamePlan
		}
		p.turnTo(span)
		return nil
	})
}

// turnTo has another plan hold from the beginning of span. Of those that were chosen within the same hour the last one counts, and what
// was there before goes on when it is that one again.
func (p *Period) turnTo(span Span) {
	if last := p.Plan(); !last.From.Before(span.From) {
		span.From = last.From
		p.Plans = p.Plans[:len(p.Plans)-1]
	}
	if n := len(p.Plans); n > 0 {
		if was := p.Plans[n-1]; was.Plan == span.Plan && was.Monthly == span.Monthly && was.Pool == span.Pool {
			return
		}
	}
	p.Plans = append(p.Plans, span)
}

// current is the period of a customer that runs now. Those whose time is over are closed first.
func (s *Service) current(ctx context.Context, of account.CustomerID) (Period, error) {
	for {
		p, err := s.Store.ActiveOf(ctx, of)
		if err != nil && fault.Of(err).Kind == fault.NotFound {
			return p, ErrNoPeriod
		}
		if err != nil || !p.over(s.now()) {
			return p, err
		}
		if err := s.closePeriod(ctx, p); err != nil {
			return p, err
		}
	}
}

package billing

import (
	"context"
	"slices"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
	"gatehouse/app/staff"
)

// Wish is another plan, and what whoever wants it has seen of it. What was not seen is not compared.
type Wish struct {
	Plan    pricing.PlanID
	Was     pricing.PlanID // the plan that held when it was chosen; empty: not seen
	Monthly pricing.Cents  // what it was to cost a month; 0: not seen
}

// PlanChange is what another plan changes about the period that runs.
type PlanChange struct {
	Was, Now              Span // Now.From is the hour from which it holds
	To                    time.Time
	Before, After         pricing.Cents // what the plans of the period come to
	PoolBefore, PoolAfter int64         // tokens of the period
	OverBefore, OverAfter pricing.Cents // what was used beyond the pool comes to, so far
	Drawn                 int64         // of the pool, so far
}

// Refusals of other plans.
var (
	ErrPlanSeen = fault.New(fault.Conflict, "plan-changed", "plan or price is not the one that was seen",
		"The plan or its price has changed since you opened the page. Nothing was changed. "+
			"Look at what it costs now, and confirm again.")
	ErrPlanEnds = fault.New(fault.Conflict, "plan-ends", "plan is cancelled",
		"The plan is cancelled, so another one would end with it. Nothing was changed. Keep the plan first, then change it.")
)

// onto is the period with another plan from the hour that runs.
func (p Period) onto(span Span, now time.Time) (Period, error) {
	switch {
	case p.State != Active || p.over(now):
		return p, ErrNoPeriod
	case p.Plan().Plan == span.Plan:
		return p, ErrSamePlan
	}
	span.From = now.Truncate(time.Hour)
	p.Plans = slices.Clone(p.Plans)
	p.turnTo(span)
	return p, nil
}

// fits refuses a wish after something about it has changed.
func (w Wish) fits(was, now Span) error {
	if w.Was != "" && w.Was != was.Plan || w.Monthly != 0 && w.Monthly != now.Monthly {
		return ErrPlanSeen
	}
	return nil
}

// PreviewPlan says what another plan would change for a customer now, and changes nothing. It refuses what ChangePlan does.
func (s *Service) PreviewPlan(ctx context.Context, of account.CustomerID, plan pricing.PlanID) (PlanChange, error) {
	p, span, book, err := s.planWished(ctx, of, plan)
	if err != nil {
		return PlanChange{}, err
	}
	if c, err := s.Cancelled(ctx, of); err != nil || c != nil {
		return PlanChange{}, orErr(err, ErrPlanEnds)
	}
	after, err := p.onto(span, s.now())
	if err != nil {
		return PlanChange{}, err
	}
	d, err := s.drawnIn(ctx, book, p)
	if err != nil {
		return PlanChange{}, err
	}
	if err := d.fits(book, after); err != nil {
		return PlanChange{}, err
	}
	then, err := s.usageOf(ctx, book, after, earlier(s.now(), p.To))
	return PlanChange{
		Was: p.Plan(), Now: after.Plan(), To: p.To, Before: d.Sum(LinePlan), After: then.Sum(LinePlan),
		PoolBefore: d.Pool, PoolAfter: then.Pool, OverBefore: d.Sum(LineOverage), OverAfter: then.Sum(LineOverage), Drawn: d.Drawn,
	}, err
}

func orErr(err, instead error) error {
	if err != nil {
		return err
	}
	return instead
}

// planWished is the period that a customer's wish is about, and the plan as it is sold now.
func (s *Service) planWished(
	ctx context.Context, of account.CustomerID, plan pricing.PlanID,
) (p Period, span Span, book pricing.Book, err error) {
	if p, err = s.running(ctx, of); err != nil {
		return p, span, book, err
	}
	if book, err = s.Store.Book(ctx); err != nil {
		return p, span, book, err
	}
	span, err = spanOf(book, plan, s.now())
	return p, span, book, err
}

// ChangePlan puts a customer on another plan from the hour that runs, a larger or a smaller one. Both plans are charged by the second,
// and their pools add up alike. One that would leave the month less than was drawn is refused. It is the same whoever asks for it. A
// month whose time is over is closed first, with the plan that it had.
func (s *Service) ChangePlan(ctx context.Context, of account.CustomerID, w Wish, by audit.Actor) (Period, error) {
	if err := staff.Require(by, staff.BillingManage); err != nil {
		return Period{}, err
	}
	p, span, book, err := s.planWished(ctx, of, w.Plan)
	if err != nil {
		return p, err
	}
	e := s.entry(of, by, "billing.plan", string(p.ID), map[string]string{"from": string(p.Plan().Plan), "to": string(w.Plan)})
	return s.Store.ChangePlan(ctx, p.ID, w.Plan, *e, func(ctx context.Context, p *Period) error {
		if c, err := s.Cancelled(ctx, of); err != nil || c != nil {
			return orErr(err, ErrPlanEnds)
		}
		if err := w.fits(p.Plan(), span); err != nil {
			return err
		}
		after, err := p.onto(span, s.now())
		if err != nil {
			return err
		}
		d, err := s.drawnIn(ctx, book, *p)
		if err != nil {
			return err
		}
		*p = after
		return d.fits(book, after)
	})
}

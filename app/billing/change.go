package billing

import (
	"context"

	"gatehouse/app/account"
	"gatehouse/app/fault"
)

// Refusals of a plan change. Nothing is changed then.
var (
	ErrNoPeriod = fault.New(fault.Conflict, "no-period", "no period runs",
		"Your first billing month begins when your server is ready. Nothing was changed.")
	ErrSamePlan = fault.New(fault.Conflict, "same-plan", "the plan is this one already",
		"This is the plan already. Nothing was changed. Choose another one.")
	ErrEnded = fault.New(fault.Conflict, "order-ended", "the order has ended",
		"The plan has ended, so this is not possible any more. Nothing was changed. Reload the page to see what is.")
)

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
		book, err := s.Store.Book(ctx)
		if err != nil {
			return p, err
		}
		if err := s.closeAll(ctx, book, []Period{p}); err != nil {
			return p, err
		}
	}
}

package billing

import (
	"context"

	"gatehouse/app/page"
)

// Overdrawn is a period that runs and has drawn more than its pool.
type Overdrawn struct {
	Period Period
	Draft  Draft
}

// Overages lists the running periods that have drawn more than their pool. A page looks at as many periods as were asked for and so
// may hold fewer, or none, and still have a next one.
func (s *Service) Overages(ctx context.Context, ask page.Ask) (of page.Of[Overdrawn], err error) {
	if ask, err = ask.Clean(); err != nil {
		return of, err
	}
	some, err := s.Store.Running(ctx, ask)
	if err != nil {
		return of, err
	}
	book, err := s.Store.Book(ctx)
	if err != nil {
		return of, err
	}
	of.Next = some.Next
	for _, p := range some.Items {
		d, err := s.usageOf(ctx, book, p, earlier(s.now(), p.To))
		if err != nil {
			return of, err
		}
		if d.Drawn > d.Pool {
			of.Items = append(of.Items, Overdrawn{Period: p, Draft: d})
		}
	}
	return of, nil
}

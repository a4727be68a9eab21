package billing

import (
	"context"

	"gatehouse/app/page"
	"gatehouse/app/pricing"
)

// Sum is how many invoices there are, and what they come to with tax, without what was credited.
type Sum struct {
	Count int
	Total pricing.Cents
}

// Summary is how billing stands for all customers.
type Summary struct {
	Running   int // periods
	Waiting   []Period
	WaitMore  bool // more periods wait than are listed
	Open      Sum
	Overdue   Sum // among Open
	Failed    Sum // among Open: whose payment failed last
	PaidMonth Sum // paid in the last 30 days
	Seller    bool
}

// mostWaiting is how many waiting periods a summary lists.
const mostWaiting = 50

// Filter narrows invoices; the zero value is all of them.
type Filter struct {
	State   State
	Overdue bool // open, and due before now
}

// Summary says how billing stands for all customers.
func (s *Service) Summary(ctx context.Context) (Summary, error) {
	sum, err := s.Store.Summary(ctx, s.now())
	if err != nil {
		return sum, err
	}
	if sum.Waiting, err = s.Store.Held(ctx, mostWaiting+1); err != nil {
		return sum, err
	}
	if sum.WaitMore = len(sum.Waiting) > mostWaiting; sum.WaitMore {
		sum.Waiting = sum.Waiting[:mostWaiting]
	}
	book, err := s.Store.Book(ctx)
	if err != nil {
		return sum, err
	}
	_, sum.Seller = book.At(pricing.KindSeller, "", s.now())
	return sum, nil
}

// Invoices lists the invoices of all customers that f leaves, newest first: staff only.
func (s *Service) Invoices(ctx context.Context, f Filter, ask page.Ask) (page.Of[Invoice], error) {
	return s.Store.Invoices(ctx, f, s.now(), ask)
}

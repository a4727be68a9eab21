package attention

import (
	"context"
	"time"

	"gatehouse/app/order"
)

// Soon is how long before it runs out an open request counts.
const Soon = time.Hour

// Counts is how much of each kind there is.
type Counts struct {
	Failed    int  // orders that stopped at a step
	Manual    int  // orders that wait for somebody to press the next step
	Late      int  // orders that take longer than we promise
	Offline   int  // servers
	Degraded  int  // likewise
	Held      int  // servers whose log of receipts does not continue from what it was
	Hands     int  // machines of the pool that somebody has to install anew
	Machines  int  // machines of the pool altogether
	Free      int  // machines of the pool that an order can take
	Dead      int  // jobs that failed and are not tried again
	Retried   int  // jobs that failed and are tried again
	Expiring  int  // open requests that soon run out
	RanOut    int  // invitations to our staff that ran out, or whose mail was refused
	Unbilled  int  // months of customers whose invoice waits for a price or the like
	Overdue   int  // invoices that are not paid in time
	NoSeller  bool // nobody has said who issues invoices, and some month runs
	NoRate    bool // no exchange rate comes any more, or one that nobody can believe
	Customers int  // altogether
	Servers   int  // that are not cut off
}

// Empty says that we keep a pool and no order can take a machine of it.
func (c Counts) Empty() bool { return c.Machines > 0 && c.Free == 0 }

// When is the moment that is asked about.
type When struct {
	Now  time.Time
	Late time.Time // orders from before that are late
	Soon time.Time // requests that run out before that count
}

// Store counts; db.Attention does.
type Store interface {
	Counts(ctx context.Context, w When) (Counts, error)
}

// Service counts what waits for a person.
type Service struct {
	Store    Store
	Now      func() time.Time
	Promised func() time.Duration // how long an order may take; nil: order.Promise
}

// Counts counts.
func (s *Service) Counts(ctx context.Context) (Counts, error) {
	now, promised := s.Now().UTC(), order.Promise
	if s.Promised != nil {
		promised = s.Promised()
	}
	return s.Store.Counts(ctx, When{Now: now, Late: now.Add(-promised), Soon: now.Add(Soon)})
}

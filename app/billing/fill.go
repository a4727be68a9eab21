package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/fault"
)

// Fill is how full the pool of a period was when it was looked at. Tokens are whole.
type Fill struct {
	Period     PeriodID
	CustomerID account.CustomerID
	Drawn      int64 // also beyond the pool
	Pool       int64
	At         time.Time
	Until      time.Time // when the period ends
}

// The parts of a pool, in percent, at which its owners are told.
const (
	PoolLow   = 80
	PoolEmpty = 100
)

// A pool counts as empty when what is left of it is hardly enough for one more call: a call reserves the most that it can use before
// it leaves, so that the last tokens of a pool are never used.
const (
	lastTokens = 50_000
	lastPart   = 50 // at most one in so many tokens of the pool
)

// Told is how full the pool has become, of the parts at which owners are told: PoolEmpty, PoolLow, or 0 when neither is reached.
func (f Fill) Told() int {
	left := f.Pool - f.Drawn
	switch {
	case f.Pool <= 0:
		return 0 // nothing that could be used up
	case left <= min(lastTokens, f.Pool/lastPart):
		return PoolEmpty
	case f.Drawn*100 >= f.Pool*PoolLow:
		return PoolLow
	}
	return 0
}

// How long a pool is left alone: the nearer it is to the next part at which somebody is told, the sooner it is looked at again.
const (
	shortLook = time.Minute
	longLook  = 15 * time.Minute
)

// Again is when to look at the pool again.
func (f Fill) Again() time.Time {
	if f.Pool <= 0 || f.Told() == PoolEmpty {
		return f.At.Add(longLook)
	}
	part := int64(PoolLow)
	if f.Told() == PoolLow {
		part = PoolEmpty
	}
	left := max(f.Pool/100*part-f.Drawn, 0)
	wait := time.Duration(left/(f.Pool/30+1)) * time.Minute // a thirtieth of the pool a minute is faster than a team is
	return f.At.Add(min(max(wait, shortLook), longLook))
}

// PoolNotice is that owners were told how full a pool is.
type PoolNotice struct {
	ID      string
	Percent int // PoolLow or PoolEmpty
	Fill
}

// Letters about a pool, to the owners of a customer. What they are about is the id of a PoolNotice.
const (
	LetterLow   = "pool_low"
	LetterEmpty = "pool_empty"
)

// Letters says whether a letter is about a pool.
func Letters(template string) bool { return template == LetterLow || template == LetterEmpty }

// Letter is the letter that a notice is told with.
func (n PoolNotice) Letter() string {
	if n.Percent == PoolEmpty {
		return LetterEmpty
	}
	return LetterLow
}

// manyFills is how many pools one look takes up at most.
const manyFills = 2000

// Watch looks at pools that are due, and has their owners told, once for each part and period. It says how many were told of.
func (s *Service) Watch(ctx context.Context) (told int, err error) {
	due, err := s.Store.FillsDue(ctx, s.now(), manyFills)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	book, err := s.Store.Book(ctx)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, p := range due {
		d, err := s.usageOf(ctx, book, p, earlier(s.now(), p.To))
		if err == nil {
			var ok bool
			f := Fill{Period: p.ID, CustomerID: p.CustomerID, Drawn: d.Drawn, Pool: d.Pool, At: s.now(), Until: p.To}
			if ok, err = s.Store.KeepFill(ctx, f, PoolNotice{ID: newID(), Percent: f.Told(), Fill: f}); ok {
				told++
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("pool of period %s: %w", p.ID, err))
		}
	}
	return told, errors.Join(errs...)
}

// Notice finds what owners were told, and what holds now: whether the team works on beyond the pool, for money. Whoever it is about:
// letters.
func (s *Service) Notice(ctx context.Context, id string) (n PoolNotice, beyond bool, err error) {
	if n, err = s.Store.PoolNotice(ctx, id); err != nil {
		return n, false, err
	}
	choices, err := s.Store.Choices(ctx, n.CustomerID)
	return n, overageAt(choices, s.now()), err
}

// Low is a pool of which most is used.
type Low struct {
	Fill
	Beyond bool // the team works on when it is empty, for money
}

// Low says for pages that warn of it how full a customer's pool is; nil while PoolLow is not reached, or no period runs.
func (s *Service) Low(ctx context.Context, of account.CustomerID) (*Low, error) {
	f, err := s.Store.FillOf(ctx, of)
	if err != nil && fault.Of(err).Kind == fault.NotFound {
		return nil, nil
	}
	if err != nil || f.Told() == 0 {
		return nil, err
	}
	if f.Pool, err = s.poolNow(ctx, f.Period); err != nil || f.Told() == 0 { // the plan may have become larger since
		return nil, err
	}
	choices, err := s.Store.Choices(ctx, of)
	return &Low{Fill: f, Beyond: overageAt(choices, s.now())}, err
}

// poolNow is the pool of a period as its plans are now.
func (s *Service) poolNow(ctx context.Context, id PeriodID) (int64, error) {
	p, err := s.Store.Period(ctx, id)
	if err != nil {
		return 0, err
	}
	book, err := s.Store.Book(ctx)
	if err != nil {
		return 0, err
	}
	d, err := compute(book, p, nil, nil, p.From)
	return d.Pool, err
}

package billing

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// someDue is how many periods are read at once.
const someDue = 200

// passFor is how long one look goes on: other chores wait behind it, and the next look goes on with what is left.
const passFor = 40 * time.Second

// Place is where a period stands in a queue: those that wait for something stand behind all others, so that they keep nobody from being
// looked at. The zero value is before all.
type Place struct {
	Held bool
	To   time.Time
	ID   PeriodID
}

// Place is where p stands.
func (p Period) Place() Place { return Place{p.Held != "", p.To, p.ID} }

// somePeriods is how many periods are closed or billed in one transaction: numbers of invoices are given by one transaction at a time,
// and all that was used in their months is held in memory.
const somePeriods = 25

// atOnce is how many parts a look works on at the same time: most of what each takes is waiting for the database.
const atOnce = 4

// passes does what is due, some at a time and part by part, until nothing more is, or its time is over. Nothing of a part is done when
// do fails; then each is done by itself, so that one that fails keeps no other from being done. It says how many were done.
func passes[T any](
	ctx context.Context, some func(after T) ([]T, error), part int, do func([]T) (int, error),
) (done int, err error) {
	var errs []error
	var last T
	pass, cancel := context.WithTimeout(ctx, passFor)
	defer cancel()
	for pass.Err() == nil {
		due, err := some(last)
		if err != nil {
			return done, errors.Join(append(errs, err)...)
		}
		n, err := together(ctx, due, part, do)
		if done += n; err != nil {
			errs = append(errs, err)
		}
		if len(due) < someDue {
			break
		}
		last = due[len(due)-1]
	}
	return done, errors.Join(append(errs, ctx.Err())...)
}

// together does some of a look, several parts at once.
func together[T any](ctx context.Context, due []T, part int, do func([]T) (int, error)) (done int, err error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	var errs []error
	free := make(chan struct{}, atOnce)
	for some := range slices.Chunk(due, part) {
		free <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		all.Go(func() {
			defer func() { <-free }()
			n, err := wholeOrEach(ctx, some, do)
			mu.Lock()
			defer mu.Unlock()
			if done += n; err != nil {
				errs = append(errs, err)
			}
		})
	}
	all.Wait()
	return done, errors.Join(errs...)
}

// wholeOrEach does a part, or when that fails, each of it.
func wholeOrEach[T any](ctx context.Context, part []T, do func([]T) (int, error)) (done int, err error) {
	done, err = do(part)
	if err == nil || len(part) == 1 || ctx.Err() != nil {
		return done, err
	}
	var errs []error
	done = 0
	for one := range slices.Chunk(part, 1) {
		n, err := do(one)
		if done += n; err != nil {
			errs = append(errs, err)
		}
	}
	return done, errors.Join(errs...)
}

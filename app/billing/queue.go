package billing

import (
	"context"
	"errors"
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

// atOnce is how many periods a look works on at the same time: most of what each takes is waiting for the database.
const atOnce = 6

// passes does what is due, some at a time, until nothing more is, or its time is over. Each is tried once, and one that fails keeps no
// other from being done. It says how many were done.
func passes[T any](ctx context.Context, some func(after T) ([]T, error), do func(T) (bool, error)) (done int, err error) {
	var errs []error
	var last T
	pass, cancel := context.WithTimeout(ctx, passFor)
	defer cancel()
	for pass.Err() == nil {
		due, err := some(last)
		if err != nil {
			return done, errors.Join(append(errs, err)...)
		}
		n, err := together(ctx, due, do)
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

// together does some of a look, several at once.
func together[T any](ctx context.Context, due []T, do func(T) (bool, error)) (done int, err error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	var errs []error
	free := make(chan struct{}, atOnce)
	for _, one := range due {
		free <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		all.Go(func() {
			defer func() { <-free }()
			ok, err := do(one)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs = append(errs, err)
			}
			if ok {
				done++
			}
		})
	}
	all.Wait()
	return done, errors.Join(errs...)
}

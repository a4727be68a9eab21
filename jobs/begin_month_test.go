package jobs_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/billing"
	"gatehouse/app/order"
	"gatehouse/app/work"
	"gatehouse/db"
	"gatehouse/db/dbtest"
	"gatehouse/jobs"
)

// cutOff begins months, and ends the first try in the middle: before the month is kept, or after, when nobody heard of it.
type cutOff struct {
	jobs.Months
	after bool
	tries atomic.Int32
}

var errCut = errors.New("cut off")

func (c *cutOff) Begin(ctx context.Context, of account.CustomerID) (bool, error) {
	first := c.tries.Add(1) == 1
	if first && !c.after {
		return false, errCut
	}
	begun, err := c.Months.Begin(ctx, of)
	if first {
		return false, errors.Join(err, errCut)
	}
	return begun, err
}

// TestBeginMonth: the month of a customer whose server became ready begins once, also when the work for it is queued twice, and when a
// worker is cut off before or after it.
func TestBeginMonth(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]bool{"cut off before": false, "cut off after": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, dbtest.New(t))
			queue, err := jobs.NewQueue(b.db.Pool, quiet)
			if err != nil {
				t.Fatal(err)
			}
			deps := b.deps(time.Now)
			months := &cutOff{after: after, Months: &billing.Service{
				Store: &db.Billing{DB: b.db, Jobs: queue}, Usage: &db.Usage{DB: b.db}, Orders: b.orders, Now: time.Now,
			}}
			deps.Months = months
			b.work(t, deps)
			_, o := b.checkout(t)
			b.reaches(t, o, order.Fulfilled)
			for range 2 {
				err := b.db.InTx(t.Context(), func(ctx context.Context, tx db.Tx) error {
					return queue.EnqueueTx(ctx, tx.PGX, []work.Item{work.BeginMonth{CustomerID: string(o.CustomerID)}})
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			eventually(t, "all of the work is done", func() bool {
				b.endPauses(t)
				var open, done int
				err := b.db.NewRaw(`SELECT count(*) FILTER (WHERE state <> 'completed'), count(*) FILTER (WHERE state = 'completed')
					FROM river_job WHERE kind = 'begin_month'`).Scan(t.Context(), &open, &done)
				return err == nil && open == 0 && done >= 2
			})
			var n int
			err = b.db.NewRaw("SELECT count(*) FROM billing_periods WHERE customer_id = ?", o.CustomerID).Scan(t.Context(), &n)
			if err != nil || n != 1 || months.tries.Load() < 3 {
				t.Errorf("%d months after %d tries, %v", n, months.tries.Load(), err)
			}
		})
	}
}

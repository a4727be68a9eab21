package jobs_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"gatehouse/app/order"
	"gatehouse/db/dbtest"
	"gatehouse/jobs"
)

func TestWatchOrders_failsWhatNothingWorksOn(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	_, lost := b.checkout(t)
	_, kept := b.checkout(t)
	if _, err := b.db.Pool.Exec(t.Context(), "DELETE FROM river_job WHERE args->>'order_id' = $1", string(lost.ID)); err != nil {
		t.Fatal(err)
	}
	look := func(after time.Duration) {
		t.Helper()
		w := &jobs.WatchOrdersWorker{Orders: b.orders, Log: quiet, Now: func() time.Time { return time.Now().Add(after) }}
		if err := w.Work(t.Context(), &river.Job[jobs.WatchOrdersArgs]{}); err != nil {
			t.Fatal(err)
		}
	}
	look(0)
	b.reaches(t, lost, order.PaymentConfirmed) // too early to call it lost
	look(2 * time.Minute)
	if got := b.reaches(t, lost, order.Failed); got.FailedStep != order.PaymentConfirmed || got.Reason == "" {
		t.Errorf("lost order %+v", got)
	}
	b.reaches(t, kept, order.PaymentConfirmed)
}

func TestChores_oneFailsTheOthersAreDone(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	var done atomic.Int32
	w := &jobs.ChoresWorker{Log: quiet, Chores: []jobs.Chore{
		{Name: "broken", Do: func(context.Context) (int, error) { return 0, boom }},
		{Name: "well", Do: func(context.Context) (int, error) { done.Add(1); return 1, nil }},
	}}
	if err := w.Work(t.Context(), &river.Job[jobs.ChoresArgs]{}); !errors.Is(err, boom) || done.Load() != 1 {
		t.Errorf("error %v, done %d", err, done.Load())
	}
}

// TestWorkers_Stop_handsRunningStepsOn stops workers inside a step: the step is available at once, and was no try.
func TestWorkers_Stop_handsRunningStepsOn(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	deps := b.deps(time.Now)
	deps.Steps = stuck{deps.Steps}
	w, err := jobs.NewWorkers(b.db.Pool, deps)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, o := b.checkout(t)
	eventually(t, "the step runs", func() bool {
		events, err := b.orders.Events(t.Context(), o.CustomerID, o.ID, 0)
		return err == nil && len(events) > 2
	})
	if err := w.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	var state string
	var tries int
	err = b.db.Pool.QueryRow(t.Context(), "SELECT state::text, attempt FROM river_job WHERE args->>'step' = 'AWAITING_SERVER'").Scan(&state, &tries)
	if err != nil || state != "available" || tries != 0 {
		t.Errorf("step is %s after %d tries, %v", state, tries, err)
	}
	b.work(t, b.deps(time.Now))
	b.reaches(t, o, order.Fulfilled)
}

func TestMoves(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	b.checkout(t)
	if err := jobs.Moves(t.Context(), b.db.Pool); err != nil {
		t.Errorf("work that was just queued: %v", err)
	}
	if _, err := b.db.Pool.Exec(t.Context(), "UPDATE river_job SET scheduled_at = now() - interval '2 minutes'"); err != nil {
		t.Fatal(err)
	}
	if err := jobs.Moves(t.Context(), b.db.Pool); !errors.Is(err, jobs.ErrStuck) {
		t.Errorf("work that waits: %v", err)
	}
}

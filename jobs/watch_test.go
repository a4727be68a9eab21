package jobs_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"gatehouse/app/order"
	"gatehouse/db"
	"gatehouse/db/dbtest"
	"gatehouse/jobs"
	"gatehouse/jobs/provision"
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
		w := &jobs.WatchOrdersWorker{
			Orders: b.orders, Setups: b.setups(), Log: quiet,
			Now: func() time.Time { return time.Now().Add(after) },
		}
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

// silentOnce is a worker that begins to set a server up and is not heard of again; the next one does the work.
type silentOnce struct {
	jobs.Steps
	setups *db.Setups
	begun  atomic.Bool
}

func (s *silentOnce) Do(ctx context.Context, o order.Order, log provision.Log) (provision.Done, error) {
	if o.State != order.Provisioning || s.begun.Load() {
		return s.Steps.Do(ctx, o, log)
	}
	if _, err := s.setups.Begin(ctx, o.ServerID); err != nil {
		return provision.Done{}, err
	}
	s.begun.Store(true)
	<-ctx.Done()
	return provision.Done{}, ctx.Err()
}

// TestWatchOrders_takesOver: a set-up whose worker is silent for a minute goes to another one, which ends it.
func TestWatchOrders_takesOver(t *testing.T) {
	t.Parallel()
	b := newBench(t, dbtest.New(t))
	deps := b.deps(time.Now)
	silent := &silentOnce{Steps: deps.Steps, setups: b.setups()}
	deps.Steps = silent
	b.work(t, deps)
	_, o := b.checkout(t)
	eventually(t, "a worker begins", silent.begun.Load)
	was := b.reaches(t, o, order.Provisioning)
	for _, after := range []time.Duration{59 * time.Second, 62 * time.Second} {
		w := &jobs.WatchOrdersWorker{
			Orders: b.orders, Setups: b.setups(), Log: quiet,
			Now: func() time.Time { return time.Now().Add(after) },
		}
		if err := w.Work(t.Context(), &river.Job[jobs.WatchOrdersArgs]{}); err != nil {
			t.Fatal(err)
		}
		now, err := b.orders.Get(t.Context(), o.CustomerID, o.ID)
		if err != nil || after < time.Minute && now.Attempt != was.Attempt || after > time.Minute && now.Attempt != was.Attempt+1 {
			t.Errorf("after %s attempt %d became %d, %v", after, was.Attempt, now.Attempt, err)
		}
	}
	b.reaches(t, o, order.Fulfilled)
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
		lines, err := b.orders.Lines(t.Context(), o.ID, order.LineFilter{Search: "stuck in"})
		return err == nil && len(lines) == 1
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

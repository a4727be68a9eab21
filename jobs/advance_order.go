package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"gatehouse/app/order"
	"gatehouse/app/tune"
	"gatehouse/app/work"
	"gatehouse/jobs/provision"
)

// AdvanceOrderArgs names a step of an order. A retry by a person has another Attempt, and so a job of its own.
type AdvanceOrderArgs struct {
	OrderID string `json:"order_id" river:"unique"`
	Step    string `json:"step" river:"unique"`
	Attempt int    `json:"attempt" river:"unique"`
}

// Kind is stored in rows: never rename.
func (AdvanceOrderArgs) Kind() string { return "advance_order" }

// InsertOpts makes one job of each step, also when that is done already.
func (AdvanceOrderArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueOrders, MaxAttempts: 1 + len(retryAfter), UniqueOpts: river.UniqueOpts{ByArgs: true}}
}

// busyAgain is how long a step waits that finds another worker where it has to go.
const busyAgain = 2 * time.Second

// retryAfter is how long a step waits after each failure; after the last one the order is FAILED.
var retryAfter = [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}

// Steps does the work of a state; provision.Runner is one.
type Steps interface {
	Do(ctx context.Context, o order.Order, log provision.Log) (provision.Done, error)
}

// AdvanceOrderWorker does the step of an order and takes it to the next state.
type AdvanceOrderWorker struct {
	river.WorkerDefaults[AdvanceOrderArgs]
	Orders *order.Service
	Steps  Steps
	Log    *slog.Logger
	Now    func() time.Time
	Pauses tune.Value[[len(retryAfter)]time.Duration] // before the second, third and fourth try; as it comes 1, 5 and 15 minutes
}

// setupTimeout is how long setting a server up may take in all. Long before that, a worker that has died is told by its silence.
const setupTimeout = 6 * time.Hour

// Timeout is that of all jobs, but for setting a server up.
func (w *AdvanceOrderWorker) Timeout(job *river.Job[AdvanceOrderArgs]) time.Duration {
	if job.Args.Step == string(order.Provisioning) {
		return setupTimeout
	}
	return jobTimeout
}

// pause is how long a step waits after that many tries.
func (w *AdvanceOrderWorker) pause(tries int) time.Duration {
	all := w.Pauses.Or(retryAfter)
	return all[min(max(tries, 1), len(all))-1]
}

// NextRetry is 1, 5 and 15 minutes after the first, second and third failure, as long as our staff set nothing else.
func (w *AdvanceOrderWorker) NextRetry(job *river.Job[AdvanceOrderArgs]) time.Time {
	return w.Now().Add(w.pause(job.Attempt))
}

// Work does one try. A worker that was overtaken changes nothing: the step and attempt in its arguments no longer fit.
func (w *AdvanceOrderWorker) Work(ctx context.Context, job *river.Job[AdvanceOrderArgs]) error {
	item := work.AdvanceOrder{OrderID: job.Args.OrderID, Step: job.Args.Step, Attempt: job.Args.Attempt}
	o, err := w.Orders.At(ctx, item)
	if err != nil {
		return w.unlessStale(ctx, item, err)
	}
	var later *provision.LaterError
	done, err := w.do(ctx, o)
	switch {
	case err == nil && !o.State.Live():
		return nil // clearing up after a cancelled order leads nowhere
	case err == nil:
		_, err = w.Orders.Advance(ctx, item, done.Text, done.ServerID)
		return w.unlessStale(ctx, item, err)
	case errors.As(err, &later):
		return river.JobSnooze(later.After) // this was no failed try
	case errors.Is(err, provision.ErrBusy):
		return river.JobSnooze(busyAgain) // no try either
	case errors.Is(ctx.Err(), context.Canceled):
		return river.JobSnooze(0) // the hub is stopping: this was no try, the next hub goes on at once
	}
	return w.failed(ctx, job, o, item, err)
}

// failed gives the order up when trying again cannot help or was done often enough, else lets River try again.
func (w *AdvanceOrderWorker) failed(ctx context.Context, job *river.Job[AdvanceOrderArgs], o order.Order, item work.AdvanceOrder, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second) // the job's own time may be up
	defer cancel()
	if _, stale := w.Orders.At(ctx, item); errors.Is(stale, order.ErrStale) {
		return w.unlessStale(ctx, item, stale) // stopped or taken over: what went wrong is nobody's trouble
	}
	w.Log.WarnContext(ctx, "order step failed", "order_id", o.ID, "step", item.Step, "try", job.Attempt, "error", err)
	var final *order.FinalError
	if o.State.Live() && (errors.As(err, &final) || job.Attempt >= job.MaxAttempts) {
		_, failErr := w.Orders.Fail(ctx, item, order.Reason(err))
		return w.unlessStale(ctx, item, failErr)
	}
	if job.Attempt < job.MaxAttempts {
		wait := minutes(w.pause(job.Attempt))
		w.log(ctx, o, fmt.Sprintf("This step did not work. Try %d of %d comes in %s.", job.Attempt+1, job.MaxAttempts, wait))
	}
	return fmt.Errorf("order %s at %s: %w", o.ID, item.Step, err)
}

// unlessStale ends the job in peace when its order has moved on.
func (w *AdvanceOrderWorker) unlessStale(ctx context.Context, item work.AdvanceOrder, err error) error {
	if errors.Is(err, order.ErrStale) {
		w.Log.InfoContext(ctx, "order step was overtaken", "order_id", item.OrderID, "step", item.Step, "attempt", item.Attempt)
		return w.giveBack(ctx, item)
	}
	return err
}

// giveBack clears up after a step whose order was called off meanwhile: what the step made then may have come after the
// job that gave everything back.
func (w *AdvanceOrderWorker) giveBack(ctx context.Context, item work.AdvanceOrder) error {
	o, err := w.Orders.Find(ctx, order.ID(item.OrderID))
	if err != nil || o.State != order.Cancelled {
		return err
	}
	_, err = w.do(ctx, o)
	return err
}

// do does the work of the state, and writes what it says while it does.
func (w *AdvanceOrderWorker) do(ctx context.Context, o order.Order) (provision.Done, error) {
	said := newBatch(ctx, w.Now, func(ctx context.Context, lines []order.Line) {
		if err := w.Orders.Append(ctx, o, lines); err != nil { // a line that cannot be kept does not stop the step
			w.Log.WarnContext(ctx, "lines of order log lost", "order_id", o.ID, "lines", len(lines), "error", err)
		}
	})
	defer said.close(ctx)
	return w.Steps.Do(ctx, o, said.say)
}

// log adds lines to the order's live log. A line that cannot be kept does not stop the step.
func (w *AdvanceOrderWorker) log(ctx context.Context, o order.Order, lines ...string) {
	if err := w.Orders.Log(ctx, o, lines...); err != nil {
		w.Log.WarnContext(ctx, "line of order log lost", "order_id", o.ID, "error", err)
	}
}

func minutes(d time.Duration) string {
	if d == time.Minute {
		return "1 minute"
	}
	return fmt.Sprintf("%d minutes", int(d.Minutes()))
}

package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"gatehouse/app/order"
	"gatehouse/app/work"
)

// WatchOrdersArgs asks for one look at orders that nothing works on.
type WatchOrdersArgs struct{}

// Kind is stored in rows: never rename.
func (WatchOrdersArgs) Kind() string { return "order_watch" }

// InsertOpts lets a look that failed be followed by the next one instead of a repeat.
func (WatchOrdersArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueWatch, MaxAttempts: 1}
}

// strandedAfter is how long an order without a job is left alone: its last change and its job are one transaction, so
// only a job that was discarded, its worker dead at every try, leads here.
const strandedAfter = time.Minute

// Setups says which set-ups nobody was heard of; db.Setups does.
type Setups interface {
	// Silent lists the orders whose set-up runs by its row, while nobody was heard of since before.
	Silent(ctx context.Context, before time.Time) (orders []string, err error)
}

// WatchOrdersWorker fails orders whose job is gone, so that a person sees them and can retry, and gives set-ups whose worker is
// silent to another one.
type WatchOrdersWorker struct {
	river.WorkerDefaults[WatchOrdersArgs]
	Orders *order.Service
	Setups Setups
	Log    *slog.Logger
	Now    func() time.Time
}

// Work looks once.
func (w *WatchOrdersWorker) Work(ctx context.Context, _ *river.Job[WatchOrdersArgs]) error {
	stranded, err := w.Orders.Stranded(ctx, w.Now().Add(-strandedAfter))
	if err != nil {
		return fmt.Errorf("watch orders: %w", err)
	}
	var errs []error
	for _, o := range stranded {
		w.Log.ErrorContext(ctx, "order was left without a job", "order_id", o.ID, "step", o.State)
		item := work.AdvanceOrder{OrderID: string(o.ID), Step: string(o.State), Attempt: o.Attempt}
		if _, err := w.Orders.Fail(ctx, item, "The work on this step broke off. Nothing was lost."); !errors.Is(err, order.ErrStale) {
			errs = append(errs, err)
		}
	}
	return errors.Join(append(errs, w.takeOver(ctx))...)
}

// silentAfter is how long the worker of a set-up may say nothing.
const silentAfter = time.Minute

func (w *WatchOrdersWorker) takeOver(ctx context.Context) error {
	silent, err := w.Setups.Silent(ctx, w.Now().Add(-silentAfter))
	if err != nil {
		return fmt.Errorf("watch set-ups: %w", err)
	}
	var errs []error
	for _, id := range silent {
		w.Log.WarnContext(ctx, "set-up has a silent worker", "order_id", id)
		err := w.Orders.TakeOver(ctx, order.ID(id), "The worker on this step was not heard of for a minute. Another one goes on.")
		if !errors.Is(err, order.ErrStale) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

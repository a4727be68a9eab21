package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
)

// Chore is something small that has to be looked at every minute by one hub.
type Chore struct {
	Name string
	Do   func(ctx context.Context) (done int, err error)
}

// ChoresArgs asks for one round of chores.
type ChoresArgs struct{}

// Kind is stored in rows: never rename.
func (ChoresArgs) Kind() string { return "chores" }

// InsertOpts lets a round that failed be followed by the next one instead of a repeat.
func (ChoresArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueWatch, MaxAttempts: 1}
}

const choresEvery = time.Minute

// ChoresWorker does the chores. One that fails does not keep the others from being done.
type ChoresWorker struct {
	river.WorkerDefaults[ChoresArgs]
	Chores []Chore
	Log    *slog.Logger
}

// Work does one round.
func (w *ChoresWorker) Work(ctx context.Context, _ *river.Job[ChoresArgs]) error {
	var errs []error
	for _, c := range w.Chores {
		n, err := c.Do(ctx)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.Name, err))
		}
		if n > 0 {
			w.Log.InfoContext(ctx, "chore done", "chore", c.Name, "done", n)
		}
	}
	return errors.Join(errs...)
}

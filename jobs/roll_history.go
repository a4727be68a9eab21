package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
)

// RollHistoryArgs asks for one pass over what servers measured.
type RollHistoryArgs struct{}

// Kind is stored in rows: never rename.
func (RollHistoryArgs) Kind() string { return "history_roll" }

// InsertOpts lets a pass that failed be followed by the next one instead of a repeat.
func (RollHistoryArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueWatch, MaxAttempts: 1}
}

const rollEvery = time.Minute

// rollWithin is how long a pass may take. What is left is for the next one.
const rollWithin = 45 * time.Second

// History is what servers measured; db.History keeps it.
type History interface {
	// Roll makes coarser rows of finer ones and drops what is too old, piece by piece, until ctx ends.
	Roll(ctx context.Context, now time.Time) (made, dropped int64, err error)
}

// RollHistoryWorker keeps the history of servers small.
type RollHistoryWorker struct {
	river.WorkerDefaults[RollHistoryArgs]
	History History
	Log     *slog.Logger
	Now     func() time.Time
}

// Work does one pass.
func (w *RollHistoryWorker) Work(ctx context.Context, _ *river.Job[RollHistoryArgs]) error {
	part, cancel := context.WithTimeout(ctx, rollWithin)
	defer cancel()
	made, dropped, err := w.History.Roll(part, w.Now().UTC())
	if made+dropped > 0 {
		w.Log.DebugContext(ctx, "history of servers rolled up", "made", made, "dropped", dropped)
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		w.Log.WarnContext(ctx, "history of servers not rolled up in one pass", "made", made, "dropped", dropped)
		return nil
	}
	if err != nil {
		return fmt.Errorf("roll history: %w", err)
	}
	return nil
}

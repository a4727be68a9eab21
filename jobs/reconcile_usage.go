package jobs

import (
	"context"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
)

// ReconcileUsageArgs asks for one comparison of what the hub counted with what servers did.
type ReconcileUsageArgs struct{}

// Kind is stored in rows: never rename.
func (ReconcileUsageArgs) Kind() string { return "reconcile_usage" }

// InsertOpts lets a comparison that failed be followed by the next one instead of a repeat.
func (ReconcileUsageArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueCommands, MaxAttempts: 1}
}

const reconcileEvery = time.Hour

// Usage is what meters of servers counted; usage.Service does it.
type Usage interface {
	// Reconcile compares with all servers that can be asked.
	Reconcile(ctx context.Context) (checked, off int, err error)
}

// ProviderUsage is what model providers counted; modelkey.Service asks them.
type ProviderUsage interface {
	// Reconcile compares with what the hub counted, for each key, and says how many differ.
	Reconcile(ctx context.Context) (off int, err error)
}

// ReconcileUsageWorker compares.
type ReconcileUsageWorker struct {
	river.WorkerDefaults[ReconcileUsageArgs]
	Usage    Usage
	Provider ProviderUsage // nil: no provider is asked
	Log      *slog.Logger
}

// Work compares once.
func (w *ReconcileUsageWorker) Work(ctx context.Context, _ *river.Job[ReconcileUsageArgs]) error {
	checked, off, err := w.Usage.Reconcile(ctx)
	if off > 0 {
		w.Log.WarnContext(ctx, "usage differs between servers and the hub", "servers", off, "checked", checked)
	}
	if w.Provider == nil || err != nil {
		return err
	}
	if off, err = w.Provider.Reconcile(ctx); off > 0 {
		w.Log.WarnContext(ctx, "usage differs between the model provider and the hub", "servers", off)
	}
	return err
}

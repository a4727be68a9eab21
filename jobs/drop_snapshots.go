package jobs

import (
	"context"
	"fmt"

	"github.com/riverqueue/river"

	"gatehouse/app/account"
)

// DropSnapshotsArgs names a customer who took the consent to snapshots back.
type DropSnapshotsArgs struct {
	CustomerID string `json:"customer_id"`
}

// Kind is stored in rows: never rename.
func (DropSnapshotsArgs) Kind() string { return "drop_snapshots" }

// InsertOpts lets every withdrawal be followed by work of its own: one that finds nothing does nothing.
func (DropSnapshotsArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueMachines, MaxAttempts: 20}
}

// DropSnapshotsWorker deletes the snapshots of customers who do not want them any more.
type DropSnapshotsWorker struct {
	river.WorkerDefaults[DropSnapshotsArgs]
	Machines Machines
}

// Work deletes what there is, and comes again until the provider lists none.
func (w *DropSnapshotsWorker) Work(ctx context.Context, job *river.Job[DropSnapshotsArgs]) error {
	again, err := w.Machines.DropAll(ctx, account.CustomerID(job.Args.CustomerID))
	switch {
	case err != nil:
		return fmt.Errorf("drop snapshots: %w", err)
	case again > 0:
		return river.JobSnooze(again)
	}
	return nil
}

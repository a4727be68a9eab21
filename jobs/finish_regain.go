package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"gatehouse/app/fault"
)

// FinishRegainArgs names the case of an owner who lost everything.
type FinishRegainArgs struct {
	CaseID string `json:"case_id" river:"unique"`
}

// Kind is stored in rows: never rename.
func (FinishRegainArgs) Kind() string { return "finish_regain" }

// InsertOpts keeps one job for a case: each look before its delay is over is none of the tries.
func (FinishRegainArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueTeam, MaxAttempts: 10, UniqueOpts: river.UniqueOpts{ByArgs: true}}
}

// Regain brings cases to their end; regain.Service does.
type Regain interface {
	// Work says after how long to look again, 0 for never.
	Work(ctx context.Context, id string) (again time.Duration, err error)
}

// FinishRegainWorker ends cases whose delay is over.
type FinishRegainWorker struct {
	river.WorkerDefaults[FinishRegainArgs]
	Regain Regain
}

// Work does one step.
func (w *FinishRegainWorker) Work(ctx context.Context, job *river.Job[FinishRegainArgs]) error {
	again, err := w.Regain.Work(ctx, job.Args.CaseID)
	switch {
	case err != nil && fault.Of(err).Kind == fault.NotFound:
		return nil // the customer was removed
	case err != nil:
		return fmt.Errorf("finish regain: %w", err)
	case again > 0:
		return river.JobSnooze(again)
	}
	return nil
}

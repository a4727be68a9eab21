package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/server"
)

// RunMachineActArgs names something that is done with a machine at its provider.
type RunMachineActArgs struct {
	ActID string `json:"act_id" river:"unique"`
}

// Kind is stored in rows: never rename.
func (RunMachineActArgs) Kind() string { return "run_machine_act" }

// InsertOpts makes one job of each act. Each look that finds it under way is none of the tries.
func (RunMachineActArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueMachines, MaxAttempts: 20, UniqueOpts: river.UniqueOpts{ByArgs: true}}
}

// LookAtMachineArgs names a machine that is looked at.
type LookAtMachineArgs struct {
	ServerID string `json:"server_id" river:"unique"`
}

// Kind is stored in rows: never rename.
func (LookAtMachineArgs) Kind() string { return "look_at_machine" }

// InsertOpts keeps one look at a machine waiting at most.
func (LookAtMachineArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueMachines, MaxAttempts: 3, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: waits}}
}

// waits are the states of a job that is not done yet.
var waits = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning,
	rivertype.JobStateScheduled,
}

// Machines asks providers; machine.Worker does.
type Machines interface {
	// Work says after how long to look at an act again, 0 for never.
	Work(ctx context.Context, actID string) (again time.Duration, err error)
	Look(ctx context.Context, id server.ID) error
	// DropAll deletes the snapshots of a customer, and says after how long to look again, 0 for never.
	DropAll(ctx context.Context, of account.CustomerID) (again time.Duration, err error)
}

// RunMachineActWorker has providers do things with machines.
type RunMachineActWorker struct {
	river.WorkerDefaults[RunMachineActArgs]
	Machines Machines
	Now      func() time.Time
}

// Work does one step.
func (w *RunMachineActWorker) Work(ctx context.Context, job *river.Job[RunMachineActArgs]) error {
	again, err := w.Machines.Work(ctx, job.Args.ActID)
	switch {
	case err != nil && fault.Of(err).Kind == fault.NotFound:
		return nil // its server was removed
	case err != nil:
		return fmt.Errorf("run act: %w", err)
	case again > 0:
		return river.JobSnooze(again)
	}
	return nil
}

// NextRetry is soon: only the hub's own database makes a try fail.
func (w *RunMachineActWorker) NextRetry(job *river.Job[RunMachineActArgs]) time.Time {
	return w.Now().Add(time.Duration(job.Attempt) * 5 * time.Second)
}

// LookAtMachineWorker asks providers how machines are.
type LookAtMachineWorker struct {
	river.WorkerDefaults[LookAtMachineArgs]
	Machines Machines
}

// Work looks once.
func (w *LookAtMachineWorker) Work(ctx context.Context, job *river.Job[LookAtMachineArgs]) error {
	err := w.Machines.Look(ctx, server.ID(job.Args.ServerID))
	if err != nil && fault.Of(err).Kind != fault.NotFound {
		return fmt.Errorf("look at machine: %w", err)
	}
	return nil
}

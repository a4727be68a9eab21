package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"gatehouse/app/fault"
)

// RunCommandArgs names a command of our staff to a server.
type RunCommandArgs struct {
	CommandID string `json:"command_id"`
}

// Kind is stored in rows: never rename.
func (RunCommandArgs) Kind() string { return "run_command" }

// InsertOpts tries until the command has expired: each look that finds it underway is none of the tries.
func (RunCommandArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueCommands, MaxAttempts: 10}
}

// Commands brings commands to their end; server.Commands does.
type Commands interface {
	// Work says after how long to look again, 0 for never.
	Work(ctx context.Context, id string) (again time.Duration, err error)
}

// RunCommandWorker sends commands to servers.
type RunCommandWorker struct {
	river.WorkerDefaults[RunCommandArgs]
	Commands Commands
}

// Work does one step.
func (w *RunCommandWorker) Work(ctx context.Context, job *river.Job[RunCommandArgs]) error {
	again, err := w.Commands.Work(ctx, job.Args.CommandID)
	switch {
	case err != nil && fault.Of(err).Kind == fault.NotFound:
		return nil // its server was removed
	case err != nil:
		return fmt.Errorf("run command: %w", err)
	case again > 0:
		return river.JobSnooze(again)
	}
	return nil
}

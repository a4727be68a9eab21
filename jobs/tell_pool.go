package jobs

import (
	"context"

	"github.com/riverqueue/river"
)

// TellPoolArgs names a device that is told how much of the month's tokens is used.
type TellPoolArgs struct {
	DeviceID string `json:"device_id"`
	Percent  int    `json:"percent"`
}

// Kind is stored in rows: never rename.
func (TellPoolArgs) Kind() string { return "tell_pool" }

// InsertOpts tries for some hours.
func (TellPoolArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queuePush, MaxAttempts: 10}
}

// TellPoolWorker tells a device how much of the month's tokens is used.
type TellPoolWorker struct {
	river.WorkerDefaults[TellPoolArgs]
	Devices Devices
}

// Work does one try.
func (w *TellPoolWorker) Work(ctx context.Context, job *river.Job[TellPoolArgs]) error {
	return patient(w.Devices.TellPool(ctx, job.Args.DeviceID, job.Args.Percent))
}

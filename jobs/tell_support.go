package jobs

import (
	"context"

	"github.com/riverqueue/river"
)

// TellSupportArgs names a device that is told that one of our staff asks for a support window.
type TellSupportArgs struct {
	DeviceID string `json:"device_id"`
	Window   string `json:"window"`
}

// Kind is stored in rows: never rename.
func (TellSupportArgs) Kind() string { return "tell_support" }

// InsertOpts tries for some hours.
func (TellSupportArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queuePush, MaxAttempts: 10}
}

// TellSupportWorker tells a device that one of our staff asks for a support window.
type TellSupportWorker struct {
	river.WorkerDefaults[TellSupportArgs]
	Devices Devices
}

// Work does one try.
func (w *TellSupportWorker) Work(ctx context.Context, job *river.Job[TellSupportArgs]) error {
	return patient(w.Devices.TellSupport(ctx, job.Args.DeviceID, job.Args.Window))
}

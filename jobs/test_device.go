package jobs

import (
	"context"

	"github.com/riverqueue/river"
)

// TestDeviceArgs names a device that gets a test message.
type TestDeviceArgs struct {
	DeviceID string `json:"device_id"`
}

// Kind is stored in rows: never rename.
func (TestDeviceArgs) Kind() string { return "test_device" }

// InsertOpts gives up soon: whoever asked stands before the device.
func (TestDeviceArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queuePush, MaxAttempts: 3}
}

// TestDeviceWorker sends a device a test message.
type TestDeviceWorker struct {
	river.WorkerDefaults[TestDeviceArgs]
	Devices Devices
}

// Work does one try.
func (w *TestDeviceWorker) Work(ctx context.Context, job *river.Job[TestDeviceArgs]) error {
	return ofDevice(w.Devices.TellTest(ctx, job.Args.DeviceID))
}

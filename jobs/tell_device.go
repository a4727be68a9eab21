package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"

	"gatehouse/app/fault"
	"gatehouse/app/push"
)

// TellDeviceArgs names a device that may have to be told what waits.
type TellDeviceArgs struct {
	DeviceID string `json:"device_id"`
}

// Kind is stored in rows: never rename.
func (TellDeviceArgs) Kind() string { return "tell_device" }

// InsertOpts tries for some hours. It is not unique: each change is looked at after it, whatever is at work then.
func (TellDeviceArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queuePush, MaxAttempts: 10}
}

// Devices tells devices what waits; push.Service does. All answer after how long to look again, 0 for never.
type Devices interface {
	Tell(ctx context.Context, device string) (again time.Duration, err error)
	TellPool(ctx context.Context, device string, percent int) (again time.Duration, err error)
	TellSupport(ctx context.Context, device, window string) (again time.Duration, err error)
	TellTest(ctx context.Context, device string) (again time.Duration, err error)
}

// TellDeviceWorker tells a device what waits.
type TellDeviceWorker struct {
	river.WorkerDefaults[TellDeviceArgs]
	Devices Devices
}

// Work does one try. It sends what waits now, not what waited when it was queued.
func (w *TellDeviceWorker) Work(ctx context.Context, job *river.Job[TellDeviceArgs]) error {
	return patient(w.Devices.Tell(ctx, job.Args.DeviceID))
}

// patient is ofDevice, except that it is no try of ours when the service has said when it takes the next message.
func patient(again time.Duration, err error) error {
	var later *push.Later
	if errors.As(err, &later) {
		return river.JobSnooze(later.After)
	}
	return ofDevice(again, err)
}

// ofDevice is how a try ends: given up when the device is no more or its service will never take the message.
func ofDevice(again time.Duration, err error) error {
	switch {
	case err != nil:
		forGood := errors.Is(err, push.ErrGone) || errors.Is(err, push.ErrRefused) || fault.Of(err).Kind == fault.NotFound
		return giveUp(err, forGood)
	case again > 0:
		return river.JobSnooze(again)
	}
	return nil
}

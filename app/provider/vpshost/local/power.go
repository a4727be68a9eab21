package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"

	"gatehouse/app/machine"
	"gatehouse/app/provider/vpshost"
)

var _ machine.Powered = (*Host)(nil)

// errOff says that a server was switched off, and is not started until it is switched on.
var errOff = errors.New("this server was switched off")

var errNoServer = &vpshost.RefusedError{Reason: "This machine runs no such server. It was given back, or another hub looks after it."}

// State says whether the server's agentd runs.
func (h *Host) State(_ context.Context, serverID string) (machine.State, error) {
	r, err := h.record(serverID)
	if errors.Is(err, fs.ErrNotExist) {
		return machine.State{}, errNoServer
	}
	if err != nil {
		return machine.State{}, fmt.Errorf("state of %s: %w", serverID, err)
	}
	switch {
	case r.Process.alive():
		return machine.State{Power: machine.PowerOn}, nil
	case r.Off, r.StartedAt.IsZero():
		return machine.State{Power: machine.PowerOff}, nil
	}
	return machine.State{Power: machine.PowerChanges}, nil // it is started again in a moment
}

// Switch starts and stops the processes of a server. One that is off stays off, also when the hub is started anew.
func (h *Host) Switch(ctx context.Context, a machine.Ask, to machine.Verb) (string, error) {
	r, err := h.setOff(a.ServerID, to == machine.Off)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errRetired):
		return "", errNoServer
	case err != nil:
		return "", fmt.Errorf("%s of %s: %w", to, a.ServerID, err)
	case to == machine.Off:
		return "", h.end(ctx, r)
	case to == machine.Reset:
		if err := r.Process.signalAll(unix.SIGKILL); err != nil {
			return "", err
		}
		if !gone(ctx, r.Process) {
			return "", ctx.Err()
		}
	}
	if _, err := h.ensure(a.ServerID); err != nil {
		return "", fmt.Errorf("%s of %s: %w", to, a.ServerID, err)
	}
	h.watch(a.ServerID)
	return "", nil
}

// setOff keeps whether a server is off, for every hub on this machine.
func (h *Host) setOff(serverID string, off bool) (record, error) {
	if _, err := h.record(serverID); err != nil {
		return record{}, err
	}
	unlock, err := lock(h.path(serverID, "lock"))
	if err != nil {
		return record{}, err
	}
	defer unlock()
	r, err := h.record(serverID)
	if err == nil && r.Retired {
		err = errRetired
	}
	if err != nil || r.Off == off {
		return r, err
	}
	r.Off = off
	return r, h.save(r)
}

package netcup

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"gatehouse/app/machine"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/providers"
)

var (
	_ machine.Powered     = (*Host)(nil)
	_ machine.Rescued     = (*Host)(nil)
	_ machine.Reinstalled = (*Host)(nil)
	_ machine.Copied      = (*Host)(nil)
	_ machine.Recorded    = (*Host)(nil)
)

// offTask begins the name of a task that has ended only when the machine is off: the system may take its time to end, or not listen.
const offTask = "off "

// What netcup says of a machine's power.
const (
	runs   = "RUNNING"
	isOff  = "SHUTOFF"
	turnOn = "ON"
)

// adopted is the machine of a server; that there is none is a refusal.
func (h *Host) adopted(ctx context.Context, serverID string) (providers.Machine, error) {
	m, err := h.Machines.OfServer(ctx, serverID)
	if errors.Is(err, providers.ErrNoMachine) {
		return m, &vpshost.RefusedError{Reason: "The hub has no machine at netcup for this server. It was given back."}
	}
	return m, err
}

// seen is the machine of a server as netcup says that it is.
func (h *Host) seen(ctx context.Context, serverID string) (providers.Machine, wholeServer, error) {
	m, err := h.adopted(ctx, serverID)
	if err != nil {
		return m, wholeServer{}, err
	}
	now, err := h.Account.server(ctx, m.ID)
	return m, now, err
}

// Mark is the newest task of the machine.
func (h *Host) Mark(ctx context.Context, serverID string) (string, error) {
	m, err := h.adopted(ctx, serverID)
	if err != nil {
		return "", err
	}
	return h.Account.mark(ctx, m.ID)
}

func (s wholeServer) power() machine.Power {
	switch {
	case s.Live == nil:
		return machine.PowerUnknown
	case s.Live.State == runs:
		return machine.PowerOn
	case s.Live.State == isOff:
		return machine.PowerOff
	}
	return machine.PowerChanges
}

// State says how a machine is.
func (h *Host) State(ctx context.Context, serverID string) (machine.State, error) {
	_, now, err := h.seen(ctx, serverID)
	return machine.State{Power: now.power(), Rescue: now.Rescue}, err
}

// Switch switches a machine.
func (h *Host) Switch(ctx context.Context, a machine.Ask, to machine.Verb) (string, error) {
	m, now, err := h.seen(ctx, a.ServerID)
	if err != nil {
		return "", err
	}
	turn := func(state, option string) (string, error) {
		path := ""
		if option != "" {
			path = "?stateOption=" + option
		}
		return h.begin(ctx, m.ID, a.Mark, anyTask, http.MethodPatch, path, map[string]string{"state": state})
	}
	switch {
	case to == machine.On && now.power() == machine.PowerOn, to == machine.Off && now.power() == machine.PowerOff:
		return "", nil
	case to == machine.Off:
		task, err := turn("OFF", "")
		return offTask + task, err
	case to == machine.Reset && now.power() != machine.PowerOff:
		return turn(turnOn, "RESET")
	}
	return turn(turnOn, "")
}

// RescueByKey says that the rescue system lets nobody in by a key: netcup shows its password in the Server Control Panel.
func (h *Host) RescueByKey() bool { return false }

// Rescue starts the machine anew, with the rescue system or without it.
func (h *Host) Rescue(ctx context.Context, a machine.Ask, on bool) (string, error) {
	m, err := h.adopted(ctx, a.ServerID)
	if err != nil {
		return "", err
	}
	all, err := h.Account.tasks(ctx, m.ID)
	if err != nil {
		return "", err
	}
	if len(since(all, a.Mark)) == 0 {
		now, err := h.Account.server(ctx, m.ID)
		if err != nil || now.Rescue == on {
			return "", err
		}
	}
	method := http.MethodDelete
	if on {
		method = http.MethodPost
	}
	return h.begin(ctx, m.ID, a.Mark, anyTask, method, "/rescuesystem", nil)
}

// Reinstall puts the system on the machine that an order gets, with the host key that the hub expects.
func (h *Host) Reinstall(ctx context.Context, a machine.Ask) (string, error) {
	m, err := h.adopted(ctx, a.ServerID)
	if err != nil {
		return "", err
	}
	want, _, err := h.wanted(ctx, m)
	if err != nil {
		return "", err
	}
	return h.begin(ctx, m.ID, a.Mark, isInstall, http.MethodPost, "/image", want.system)
}

// Ended says whether a task is done.
func (h *Host) Ended(ctx context.Context, serverID, task string) (bool, error) {
	uuid, off := strings.CutPrefix(task, offTask)
	if uuid != "" {
		done, err := h.Account.ended(ctx, uuid)
		if err != nil || !done || !off {
			return done, err
		}
	}
	s, err := h.State(ctx, serverID)
	return s.Power == machine.PowerOff, err
}

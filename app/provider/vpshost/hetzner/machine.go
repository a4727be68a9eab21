package hetzner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"golang.org/x/crypto/ssh"

	"gatehouse/app/machine"
	"gatehouse/app/provider/target"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/setup"
)

var (
	_ machine.Powered     = (*Host)(nil)
	_ machine.Rescued     = (*Host)(nil)
	_ machine.Reinstalled = (*Host)(nil)
	_ machine.Copied      = (*Host)(nil)
	_ machine.Measured    = (*Host)(nil)
	_ machine.Recorded    = (*Host)(nil)
)

// What the provider calls what it does, in its record of a machine.
const (
	didStart   = "start_server"
	didEnd     = "shutdown_server"
	didReset   = "reset_server"
	didRescue  = "enable_rescue"
	didLeave   = "disable_rescue"
	didRebuild = "rebuild_server"
)

// offTask begins the name of a task that has ended only when the machine is off: the system may take its time to end, or not listen.
const offTask = "off "

// errGone says that the provider has no machine for a server.
func errGone() error {
	return &vpshost.RefusedError{Reason: "Hetzner has no machine for this server. It was deleted there, or given back."}
}

// rented is the machine of a server; that there is none is a refusal.
func (h *Host) rented(ctx context.Context, serverID string) (*hcloud.Server, error) {
	m, err := h.found(ctx, serverID)
	if err != nil {
		return nil, inWords(err)
	}
	if m == nil {
		return nil, errGone()
	}
	return m, nil
}

// Mark is the number of the newest action on the machine.
func (h *Host) Mark(ctx context.Context, serverID string) (string, error) {
	m, err := h.rented(ctx, serverID)
	if err != nil {
		return "", err
	}
	newest, err := h.newest(ctx, m)
	if err != nil || len(newest) == 0 {
		return "0", err
	}
	return strconv.FormatInt(newest[0].ID, 10), nil
}

// newest lists the last actions on a machine, newest first.
func (h *Host) newest(ctx context.Context, m *hcloud.Server) ([]*hcloud.Action, error) {
	all, _, err := h.client().Server.Action.ListFor(ctx, m, hcloud.ActionListOpts{
		ListOpts: hcloud.ListOpts{PerPage: 50}, Sort: []string{"id:desc"},
	})
	return all, inWords(err)
}

// begun finds what was begun on a machine since the mark, by what the provider calls it.
func (h *Host) begun(ctx context.Context, m *hcloud.Server, mark string, commands ...string) (*hcloud.Action, error) {
	after, err := strconv.ParseInt(mark, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("mark %q: %w", mark, err)
	}
	all, err := h.newest(ctx, m)
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		if a.ID > after && slices.Contains(commands, a.Command) {
			return a, nil
		}
	}
	return nil, nil
}

// once begins something on a machine unless it was begun since the mark.
func (h *Host) once(
	ctx context.Context, m *hcloud.Server, mark, command string, do func() (*hcloud.Action, error),
) (*hcloud.Action, error) {
	made, err := h.begun(ctx, m, mark, command)
	if err != nil || made != nil {
		return made, err
	}
	made, err = do()
	return made, inActWords(err)
}

// actRefusals are those answers that read differently when something is done with a machine that is there.
var actRefusals = map[hcloud.ErrorCode]string{
	hcloud.ErrorCodeInvalidInput: "Hetzner did not accept this for the machine. Nothing was changed. " +
		"Try it in the Hetzner console.",
	hcloud.ErrorCodeProtected: "The machine is protected against this. " +
		"Take the protection off in the Hetzner console, then try again.",
	hcloud.ErrorCodeResourceLimitExceeded: "The Hetzner project is at its limit. Raise the limit in the Hetzner console, then try again.",
}

// inActWords is inWords for what is done with a machine that is there.
func inActWords(err error) error {
	var answer hcloud.Error
	if errors.As(err, &answer) && actRefusals[answer.Code] != "" {
		return fmt.Errorf("%w (%w)", &vpshost.RefusedError{Reason: actRefusals[answer.Code]}, err)
	}
	return inWords(err)
}

func taskOf(a *hcloud.Action, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(a.ID, 10), nil
}

// State says how a machine is.
func (h *Host) State(ctx context.Context, serverID string) (machine.State, error) {
	m, err := h.rented(ctx, serverID)
	if err != nil {
		return machine.State{}, err
	}
	s := machine.State{Power: machine.PowerChanges, Rescue: m.RescueEnabled}
	switch m.Status {
	case hcloud.ServerStatusRunning:
		s.Power = machine.PowerOn
	case hcloud.ServerStatusOff:
		s.Power = machine.PowerOff
	case hcloud.ServerStatusUnknown:
		s.Power = machine.PowerUnknown
	}
	return s, nil
}

// Switch switches a machine.
func (h *Host) Switch(ctx context.Context, a machine.Ask, to machine.Verb) (string, error) {
	m, err := h.rented(ctx, a.ServerID)
	if err != nil {
		return "", err
	}
	switch to {
	case machine.On:
		if m.Status == hcloud.ServerStatusRunning {
			return "", nil
		}
		return taskOf(h.once(ctx, m, a.Mark, didStart, func() (*hcloud.Action, error) { return first(h.careful().Server.Poweron(ctx, m)) }))
	case machine.Off:
		if m.Status == hcloud.ServerStatusOff {
			return "", nil
		}
		task, err := taskOf(h.once(ctx, m, a.Mark, didEnd, func() (*hcloud.Action, error) {
			return first(h.careful().Server.Shutdown(ctx, m))
		}))
		return offTask + task, err
	}
	return taskOf(h.restart(ctx, m, a.Mark))
}

// first drops what a request says of its answer.
func first[T any](v T, _ *hcloud.Response, err error) (T, error) { return v, err }

// restart starts a machine anew, hard, or starts one that is off.
func (h *Host) restart(ctx context.Context, m *hcloud.Server, mark string) (*hcloud.Action, error) {
	made, err := h.begun(ctx, m, mark, didReset, didStart)
	if err != nil || made != nil {
		return made, err
	}
	if m.Status == hcloud.ServerStatusOff {
		made, err = first(h.careful().Server.Poweron(ctx, m))
	} else {
		made, err = first(h.careful().Server.Reset(ctx, m))
	}
	return made, inActWords(err)
}

// RescueByKey says that the rescue system lets a key in.
func (h *Host) RescueByKey() bool { return true }

// Rescue chooses the system, then starts the machine anew.
func (h *Host) Rescue(ctx context.Context, a machine.Ask, on bool) (string, error) {
	m, err := h.rented(ctx, a.ServerID)
	if err != nil {
		return "", err
	}
	if on {
		err = h.enableRescue(ctx, m, a)
	} else if m.RescueEnabled {
		err = h.settled(ctx)(h.once(ctx, m, a.Mark, didLeave, func() (*hcloud.Action, error) {
			return first(h.careful().Server.DisableRescue(ctx, m))
		}))
	}
	if err != nil {
		return "", err
	}
	return taskOf(h.restart(ctx, m, a.Mark))
}

func (h *Host) enableRescue(ctx context.Context, m *hcloud.Server, a machine.Ask) error {
	login, err := h.keyOf(ctx, "gatehouse rescue", a.Key)
	if err != nil {
		return err
	}
	return h.settled(ctx)(h.once(ctx, m, a.Mark, didRescue, func() (*hcloud.Action, error) {
		r, _, err := h.careful().Server.EnableRescue(ctx, m, hcloud.ServerEnableRescueOpts{
			Type: hcloud.ServerRescueTypeLinux64, SSHKeys: []*hcloud.SSHKey{login},
		})
		return r.Action, err // its password is for nobody: a key is let in
	}))
}

// settled waits for the end of something short.
func (h *Host) settled(ctx context.Context) func(*hcloud.Action, error) error {
	return func(a *hcloud.Action, err error) error {
		if err != nil {
			return err
		}
		return h.client().Action.WaitFor(ctx, a)
	}
}

// keyOf is somebody's SSH key at the provider.
func (h *Host) keyOf(ctx context.Context, name, text string) (*hcloud.SSHKey, error) {
	public, _, _, _, err := ssh.ParseAuthorizedKey([]byte(text))
	if err != nil {
		return nil, &vpshost.RefusedError{Reason: "The SSH key cannot be read. Nothing was changed. Paste the whole line of a public key."}
	}
	known, _, err := h.client().SSHKey.GetByFingerprint(ctx, ssh.FingerprintLegacyMD5(public))
	if err != nil || known != nil {
		return known, inWords(err)
	}
	made, _, err := h.client().SSHKey.Create(ctx, hcloud.SSHKeyCreateOpts{
		Name: name + " " + ssh.FingerprintSHA256(public), PublicKey: target.KeyText(public),
	})
	return made, inWords(err)
}

// Reinstall puts the system on the machine that new ones get, with the host key that the hub expects.
func (h *Host) Reinstall(ctx context.Context, a machine.Ask) (string, error) {
	m, err := h.rented(ctx, a.ServerID)
	if err != nil {
		return "", err
	}
	key, err := setup.DeriveHostKey(h.KeySeed, a.ServerID)
	if err != nil {
		return "", err
	}
	data, err := userData(key)
	if err != nil {
		return "", err
	}
	return taskOf(h.once(ctx, m, a.Mark, didRebuild, func() (*hcloud.Action, error) {
		r, _, err := h.careful().Server.RebuildWithResult(ctx, m, hcloud.ServerRebuildOpts{
			Image: &hcloud.Image{Name: image}, UserData: &data,
		})
		return r.Action, err
	}))
}

// Ended says whether a task is done.
func (h *Host) Ended(ctx context.Context, serverID, task string) (bool, error) {
	if id, ok := strings.CutPrefix(task, imageTask); ok {
		return h.imageEnded(ctx, id)
	}
	number, off := strings.CutPrefix(task, offTask)
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return false, fmt.Errorf("task %q: %w", task, err)
	}
	a, _, err := h.client().Action.GetByID(ctx, id)
	switch {
	case err != nil:
		return false, inWords(err)
	case a == nil:
		return false, errGone()
	case a.Error() != nil:
		return false, &vpshost.RefusedError{Reason: "Hetzner began this, but did not bring it to its end: " + a.Error().Error() + "."}
	case a.Status == hcloud.ActionStatusRunning || !off:
		return a.Status != hcloud.ActionStatusRunning, nil
	}
	s, err := h.State(ctx, serverID)
	return s.Power == machine.PowerOff, err
}

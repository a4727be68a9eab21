package hetzner

import (
	"context"
	"errors"
	"fmt"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"gatehouse/app/provider/target"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/setup"
)

// label names the server that a machine was made for.
const label = "gatehouse-server"

// image is the system that the steps are made for.
const image = "debian-12"

const sshPort = 22

// Allocate makes the machine, unless there is one for this server already.
func (h *Host) Allocate(ctx context.Context, s vpshost.Spec) error {
	key, err := setup.DeriveHostKey(h.KeySeed, s.ServerID)
	if err != nil {
		return err
	}
	made, err := h.found(ctx, s.ServerID)
	if err == nil && made == nil {
		made, err = h.make(ctx, s, key)
	}
	if err != nil {
		return inWords(err)
	}
	if made.PublicNet.IPv4.IsUnspecified() {
		return &vpshost.RefusedError{
			Reason: "The provider gave a machine without an IPv4 address. Look at it in the provider's own console.",
		}
	}
	return h.Store.Keep(ctx, Machine{
		ServerID: s.ServerID, RentedID: made.ID, Address: made.PublicNet.IPv4.IP.String(), Port: sshPort,
		HostKey: key.Public(),
	})
}

// found is the machine that was made for a server; nil when there is none.
func (h *Host) found(ctx context.Context, serverID string) (*hcloud.Server, error) {
	all, err := h.client().Server.AllWithOpts(ctx, hcloud.ServerListOpts{
		ListOpts: hcloud.ListOpts{LabelSelector: label + "=" + serverID},
	})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return all[0], nil
}

// make orders a machine and waits until it runs. A name is given once in a project: of two that make one at the same time, the
// second is refused.
func (h *Host) make(ctx context.Context, s vpshost.Spec, key setup.HostKey) (*hcloud.Server, error) {
	kind, err := h.Rules.Wanted.Or(h.Wanted).of(s)
	if err != nil {
		return nil, err
	}
	login, err := h.loginKey(ctx)
	if err != nil {
		return nil, err
	}
	data, err := userData(key)
	if err != nil {
		return nil, err
	}
	made, _, err := h.client().Server.Create(ctx, hcloud.ServerCreateOpts{
		Name: "gatehouse-" + s.ServerID, ServerType: &hcloud.ServerType{Name: kind.Type}, Location: &hcloud.Location{Name: kind.Location},
		Image: &hcloud.Image{Name: image}, SSHKeys: []*hcloud.SSHKey{login}, UserData: data, Labels: map[string]string{label: s.ServerID},
	})
	if err != nil {
		return nil, err
	}
	if err := h.client().Action.WaitFor(ctx, append(made.NextActions, made.Action)...); err != nil {
		return nil, fmt.Errorf("the machine does not start: %w", err)
	}
	return made.Server, nil
}

// loginKey is the hub's key at the provider: machines are made with it, so that nobody is mailed a password.
func (h *Host) loginKey(ctx context.Context) (*hcloud.SSHKey, error) {
	return h.keyOf(ctx, "gatehouse hub", target.KeyText(h.Site.Runner.Key.PublicKey()))
}

// Release deletes what was made for a server, and the snapshots of it.
func (h *Host) Release(ctx context.Context, serverID string) error {
	made, err := h.found(ctx, serverID)
	if err != nil {
		return inWords(err)
	}
	if made != nil {
		gone, _, err := h.client().Server.DeleteWithResult(ctx, made)
		if hcloud.IsError(err, hcloud.ErrorCodeNotFound) {
			err, gone = nil, nil
		}
		if err != nil {
			return inWords(err)
		}
		if gone != nil {
			if err := h.client().Action.WaitFor(ctx, gone.Action); err != nil {
				return fmt.Errorf("the machine is not deleted: %w", err)
			}
		}
	}
	copies, err := h.images(ctx, serverID, "")
	if err != nil {
		return err
	}
	for _, i := range copies {
		if err := h.deleteImage(ctx, i); err != nil {
			return err
		}
	}
	return h.Store.Forget(ctx, serverID)
}

// Retire deletes the machine with all that is on it.
func (h *Host) Retire(ctx context.Context, serverID string) error { return h.Release(ctx, serverID) }

// refusals are the answers that a repeat would not change, in words for people.
var refusals = map[hcloud.ErrorCode]string{
	hcloud.ErrorCodeUnauthorized: "Hetzner does not accept the token. " +
		"Make a new one for reading and writing, set HETZNER_TOKEN, then try again.",
	hcloud.ErrorCodeForbidden: "The Hetzner token may only read. " +
		"Make one for reading and writing, set HETZNER_TOKEN, then try again.",
	hcloud.ErrorCodeResourceLimitExceeded: "The Hetzner project has as many machines as it may. " +
		"Raise its limit in the Hetzner console, then try again.",
	hcloud.ErrorCodeResourceUnavailable: "Hetzner has no such machine free at this location. " +
		"Try again later, or set another one in HETZNER_MACHINES.",
	hcloud.ErrorCodePlacementError: "Hetzner has no room for the machine at this location. " +
		"Try again later, or set another one in HETZNER_MACHINES.",
	hcloud.ErrorCodeInvalidInput: "Hetzner knows no such machine. " +
		"Compare the names in HETZNER_MACHINES with the Hetzner console, then try again.",
	hcloud.ErrorCodeInvalidServerType: "Hetzner does not make machines of this kind. " +
		"Set another one in HETZNER_MACHINES, then try again.",
	hcloud.ErrorCodeProtected: "The machine is protected against deletion. " +
		"Take the protection off in the Hetzner console, then try again.",
}

// inWords makes an answer that a repeat would not change a refusal. All others are tried again: when a server was made although no
// answer came, the next try finds it.
func inWords(err error) error {
	var answer hcloud.Error
	if !errors.As(err, &answer) {
		return err
	}
	if reason := refusals[answer.Code]; reason != "" {
		return fmt.Errorf("%w (%w)", &vpshost.RefusedError{Reason: reason}, err)
	}
	return err
}

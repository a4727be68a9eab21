package pool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/pool"
	"gatehouse/app/provider/target"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/setup"
)

// Name is the provider's name in rows.
const Name = "pool"

const noneFree = "No machine of the pool is free in this region. Add one to the pool or free one, then try again."

// Host is the place. It is vpshost.Host.
type Host struct {
	Machines pool.Store
	Site     *setup.Site

	Commands Commands // nil: machines do not wipe themselves
	Links    Links
	Looker   Looker
	Now      func() time.Time
}

var _ vpshost.Host = (*Host)(nil)

// Name is "pool".
func (h *Host) Name() string { return Name }

// Allocate takes a free machine of the region.
func (h *Host) Allocate(ctx context.Context, s vpshost.Spec) error {
	_, err := h.Machines.Take(ctx, s.ServerID, s.Region)
	if errors.Is(err, pool.ErrNone) {
		return &vpshost.RefusedError{Reason: noneFree}
	}
	return err
}

// Install takes the server's machine through all steps but the last.
func (h *Host) Install(ctx context.Context, s vpshost.Setup) error {
	return h.visit(ctx, s, h.Site.Install)
}

// Finish takes the hub's way in away.
func (h *Host) Finish(ctx context.Context, s vpshost.Setup) error {
	return h.visit(ctx, s, h.Site.Finish)
}

func (h *Host) visit(ctx context.Context, s vpshost.Setup,
	do func(context.Context, target.Machine, vpshost.Setup) (target.Machine, error),
) error {
	m, err := h.Machines.OfServer(ctx, s.ServerID)
	if err != nil {
		return err
	}
	met, err := do(ctx, At(m), s)
	return errors.Join(err, h.note(context.WithoutCancel(ctx), m, met))
}

// note keeps how the machine is met from now on, also when the set-up failed later.
func (h *Host) note(ctx context.Context, was pool.Machine, met target.Machine) error {
	if len(met.Ports) != 1 || met.Ports[0] == was.Port && met.HostKey == was.HostKey {
		return nil
	}
	_, err := h.Machines.Change(ctx, was.ID, func(m *pool.Machine) (*audit.Entry, error) {
		if m.ServerID != was.ServerID {
			return nil, nil // given back meanwhile, and maybe another server's now
		}
		m.Port, m.HostKey = met.Ports[0], met.HostKey
		return nil, nil
	})
	if err != nil {
		return fmt.Errorf("note how a machine is met: %w", err)
	}
	return nil
}

// LastLog asks the machine for agentd's last lines.
func (h *Host) LastLog(ctx context.Context, serverID string, n int) ([]string, error) {
	m, err := h.Machines.OfServer(ctx, serverID)
	if err != nil {
		return nil, err
	}
	return h.Site.Runner.LastLog(ctx, At(m), n)
}

// Release gives a machine back. One whose set-up was begun is not as it was: unless it wiped itself, somebody has to install it anew.
func (h *Host) Release(ctx context.Context, serverID string) error {
	m, err := h.Machines.OfServer(ctx, serverID)
	if errors.Is(err, pool.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	begun, err := h.Site.Setups.Begun(ctx, serverID)
	if err != nil {
		return err
	}
	_, err = h.Machines.Change(ctx, m.ID, func(m *pool.Machine) (*audit.Entry, error) {
		if m.ServerID != serverID {
			return nil, nil // another worker was quicker, and the machine may be another server's by now
		}
		m.GivenBack(begun)
		return nil, nil
	})
	return err
}

// Retire takes the machine out of service. The hub has no way in any more, so somebody has to install it anew, unless it wiped itself.
func (h *Host) Retire(ctx context.Context, serverID string) error { return h.Release(ctx, serverID) }

// At is where a machine of the pool is met.
func At(m pool.Machine) target.Machine {
	return target.Machine{Address: m.Address, Ports: []int{m.Port}, Login: m.Login, HostKey: m.HostKey}
}

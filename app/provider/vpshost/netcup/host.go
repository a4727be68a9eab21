package netcup

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/provider/target"
	"gatehouse/app/provider/vpshost"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/app/providers"
)

// Name is the provider's name in rows.
const Name = "netcup"

const noneFree = "No adopted machine at netcup is free for this region and plan. Order one there and adopt it on the page of providers, " +
	"or choose another provider, then try again."

// Options is what a Host needs.
type Options struct {
	Account  *Account
	Machines providers.MachineStore
	Site     *setup.Site
	KeySeed  []byte        // the host keys of machines are derived from it; 32 bytes, secret, the same for all hubs
	Boot     time.Duration // how long a machine with a new system may take until it lets the hub in
	Rules    Rules         // what our staff may change
}

// Host is the place. It is vpshost.Host.
type Host struct{ Options }

var (
	_ vpshost.Host      = (*Host)(nil)
	_ vpshost.Addressed = (*Host)(nil)
)

// New makes a Host. It asks nothing yet.
func New(o Options) *Host { return &Host{o} }

// Name is "netcup".
func (h *Host) Name() string { return Name }

// Allocate takes a free machine, and has a new system put on it. Install waits for that.
func (h *Host) Allocate(ctx context.Context, s vpshost.Spec) error {
	m, err := h.Machines.Take(ctx, s.ServerID, s.Region, s.Plan, h.Account.Now())
	if errors.Is(err, providers.ErrNoMachine) {
		return &vpshost.RefusedError{Reason: noneFree}
	}
	if err == nil {
		_, err = h.renew(ctx, m)
	}
	return err
}

// Install waits until the machine has its system and lets the hub in, and takes it through all steps but the last.
func (h *Host) Install(ctx context.Context, s vpshost.Setup) error {
	m, err := h.Machines.OfServer(ctx, s.ServerID)
	if err != nil {
		return err
	}
	if m, err = h.prepared(ctx, m, s.Say); err != nil {
		return err
	}
	if err := h.Site.Booted(ctx, at(m), s.ServerID, h.Rules.Boot.Or(h.Boot), true, s.Say); err != nil {
		return err
	}
	met, err := h.Site.Install(ctx, at(m), s)
	return errors.Join(err, h.note(context.WithoutCancel(ctx), m, met))
}

// Finish takes the hub's way in away.
func (h *Host) Finish(ctx context.Context, s vpshost.Setup) error {
	m, err := h.Machines.OfServer(ctx, s.ServerID)
	if err != nil {
		return err
	}
	met, err := h.Site.Finish(ctx, at(m), s)
	return errors.Join(err, h.note(context.WithoutCancel(ctx), m, met))
}

// note keeps where the machine's SSH server is met from now on, also when the set-up failed later.
func (h *Host) note(ctx context.Context, was providers.Machine, met target.Machine) error {
	if len(met.Ports) != 1 || met.Ports[0] == was.Port {
		return nil
	}
	_, err := h.change(ctx, was, func(_ context.Context, m *providers.Machine) error {
		m.Port = met.Ports[0]
		return nil
	})
	if moved(err) != nil {
		return fmt.Errorf("note how a machine is met: %w", err)
	}
	return nil
}

// errMoved says that another worker was quicker: the machine may be another server's by now.
var errMoved = errors.New("the machine came into another state meanwhile")

// moved takes errMoved for done: what was to be kept is of no interest any more.
func moved(err error) error {
	if errors.Is(err, errMoved) {
		return nil
	}
	return err
}

// change changes a machine that is still whose it was, or answers errMoved.
func (h *Host) change(
	ctx context.Context, was providers.Machine, fn func(context.Context, *providers.Machine) error,
) (providers.Machine, error) {
	return h.Machines.Change(ctx, was.ID, func(ctx context.Context, m *providers.Machine) (*audit.Entry, error) {
		if m.State != was.State || m.ServerID != was.ServerID {
			return nil, errMoved
		}
		return nil, fn(ctx, m)
	})
}

// locked is change for what asks netcup meanwhile. The access for it is got before the machine is locked.
func (h *Host) locked(
	ctx context.Context, was providers.Machine, fn func(context.Context, *providers.Machine) error,
) (providers.Machine, error) {
	stale := ""
	for {
		l, err := h.Account.access(ctx, stale)
		if err != nil {
			return was, err
		}
		m, err := h.change(ctx, was, func(ctx context.Context, m *providers.Machine) error {
			ctx, cancel := context.WithTimeout(context.WithValue(ctx, heldKey{}, l), providers.LockedFor)
			defer cancel()
			return fn(ctx, m)
		})
		if !errors.Is(err, errStale) || stale != "" {
			return m, err
		}
		stale = l.Access
	}
}

// LastLog asks the machine for agentd's last lines.
func (h *Host) LastLog(ctx context.Context, serverID string, n int) ([]string, error) {
	m, err := h.Machines.OfServer(ctx, serverID)
	if err != nil {
		return nil, err
	}
	return h.Site.Runner.LastLog(ctx, at(m), n)
}

// Addresses is where the server's machine is reached.
func (h *Host) Addresses(ctx context.Context, serverID string) ([]netip.Addr, error) {
	m, err := h.Machines.OfServer(ctx, serverID)
	if err != nil {
		return nil, err
	}
	a, err := netip.ParseAddr(m.Address)
	if err != nil {
		return nil, fmt.Errorf("address of an adopted machine: %w", err)
	}
	return []netip.Addr{a}, nil
}

// Release gives a machine back. One on which nothing was begun is free at once, any other when it was wiped.
func (h *Host) Release(ctx context.Context, serverID string) error {
	m, err := h.Machines.OfServer(ctx, serverID)
	if errors.Is(err, providers.ErrNoMachine) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = h.change(ctx, m, func(_ context.Context, m *providers.Machine) error {
		to := providers.Wiping
		if !m.Marked && m.Task == "" && m.HostKey == "" {
			to = providers.Free
		}
		m.Move(to, h.Account.Now())
		return nil
	})
	return moved(err)
}

// Retire is Release: whatever runs on the machine ends when its new system is put on it.
func (h *Host) Retire(ctx context.Context, serverID string) error { return h.Release(ctx, serverID) }

// at is where a machine is met.
func at(m providers.Machine) target.Machine {
	return target.Machine{Address: m.Address, Ports: []int{m.Port}, Login: "root", HostKey: m.HostKey}
}

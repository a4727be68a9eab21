package pool

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
)

// List gives all machines, by name.
func (s *Service) List(ctx context.Context) ([]Machine, error) { return s.Store.List(ctx) }

// Get finds a machine.
func (s *Service) Get(ctx context.Context, id ID) (Machine, error) { return s.Store.Get(ctx, id) }

// PublicKey is the hub's key that a machine must accept, as in authorized_keys.
func (s *Service) PublicKey(ctx context.Context) (string, error) { return s.Looker.PublicKey(ctx) }

// Check looks at a machine and keeps what was found: its host key, its system, or the problem. A machine that was held only
// because nobody had looked yet becomes free.
func (s *Service) Check(ctx context.Context, id ID, by audit.Actor) (Machine, error) {
	if err := staff.Require(by, staff.PoolManage); err != nil {
		return Machine{}, err
	}
	m, err := s.Store.Get(ctx, id)
	if err != nil {
		return Machine{}, fmt.Errorf("check machine: %w", err)
	}
	if m.State == Taken {
		return Machine{}, ErrTaken
	}
	facts, looked := s.Looker.Look(ctx, m)
	if err := ctx.Err(); err != nil {
		return Machine{}, err
	}
	return s.change(ctx, id, by, "pool.check", func(now *Machine) error {
		if now.State == Taken || now.HostKey != m.HostKey {
			return ErrState
		}
		first := now.CheckedAt.IsZero() || !now.WipedAt.IsZero()
		now.CheckedAt = s.Now().UTC()
		if looked != nil {
			now.Problem = looked.Error()
			return nil
		}
		now.HostKey, now.System, now.Problem = facts.HostKey, facts.System, ""
		if first && now.State == Held {
			now.State, now.WipedAt = Free, time.Time{}
		}
		return nil
	})
}

// Hold keeps a free machine back from orders.
func (s *Service) Hold(ctx context.Context, id ID, by audit.Actor) (Machine, error) {
	return s.move(ctx, id, by, "pool.hold", Held, Free)
}

// Free lets orders take a machine: one that was held, or one that somebody has installed anew.
func (s *Service) Free(ctx context.Context, id ID, by audit.Actor) (Machine, error) {
	return s.move(ctx, id, by, "pool.free", Free, Held, NeedsHands)
}

func (s *Service) move(ctx context.Context, id ID, by audit.Actor, action string, to State, from ...State) (Machine, error) {
	if err := staff.Require(by, staff.PoolManage); err != nil {
		return Machine{}, err
	}
	return s.change(ctx, id, by, action, func(m *Machine) error {
		for _, f := range from {
			if m.State == f {
				if f == NeedsHands { // it is another machine now, with a host key of its own
					m.ServerID, m.HostKey, m.Port = "", "", 22
				}
				if to == Free && !m.WipedAt.IsZero() {
					return ErrUnseen
				}
				m.State = to
				return nil
			}
		}
		if m.State == Taken {
			return ErrTaken
		}
		return ErrState
	})
}

// SetHostKey has a machine known by another host key from now on: one that was typed wrong, or that the machine was given with a new
// system. Without one, the key that it shows first is trusted. Whether it is the right one, a look says.
func (s *Service) SetHostKey(ctx context.Context, id ID, key string, by audit.Actor) (Machine, error) {
	if err := staff.Require(by, staff.PoolManage); err != nil {
		return Machine{}, err
	}
	key, problem := parseKey(key)
	if problem != "" {
		return Machine{}, fault.Bad(map[string]string{"host_key": problem})
	}
	return s.change(ctx, id, by, "pool.host_key", func(m *Machine) error {
		if m.State == Taken {
			return ErrTaken
		}
		m.HostKey, m.Problem = key, ""
		return nil
	})
}

// Remove takes a machine that is nobody's off the list. The machine itself is not touched.
func (s *Service) Remove(ctx context.Context, id ID, by audit.Actor) (Machine, error) {
	if err := staff.Require(by, staff.PoolManage); err != nil {
		return Machine{}, err
	}
	m, err := s.Store.Get(ctx, id)
	if err != nil {
		return m, fmt.Errorf("remove machine: %w", err)
	}
	if m.State == Taken {
		return m, ErrTaken
	}
	if err := staff.Confirm(ctx, s.Codes, by, staff.Destroying{Action: staff.RemoveMachine, Object: string(id), Name: m.Name}); err != nil {
		return m, err
	}
	e, err := s.entry(by, "pool.remove", m)
	if err != nil {
		return m, err
	}
	if err := s.Store.Remove(ctx, id, e); err != nil {
		return m, fmt.Errorf("remove machine: %w", err)
	}
	return m, nil
}

// change changes a machine and records who did it.
func (s *Service) change(ctx context.Context, id ID, by audit.Actor, action string, fn func(*Machine) error) (Machine, error) {
	m, err := s.Store.Change(ctx, id, func(m *Machine) (*audit.Entry, error) {
		if err := fn(m); err != nil {
			return nil, err
		}
		e, err := s.entry(by, action, *m)
		return &e, err
	})
	if err != nil {
		return Machine{}, fmt.Errorf("%s: %w", action, err)
	}
	return m, nil
}

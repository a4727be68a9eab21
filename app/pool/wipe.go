package pool

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
)

// Refusals of a wipe.
var (
	ErrGoesOn = fault.New(fault.Conflict, "machine-goes-on", "order of the machine's server has not ended",
		"The order of this server has not ended, so the machine cannot be wiped. Nothing was changed. End the order first.")
	// ErrUnseen keeps a machine that wiped itself back until somebody has looked at it.
	ErrUnseen = fault.New(fault.Conflict, "machine-unseen", "wiped machine was not looked at",
		"This machine wiped itself. Nothing was changed. Check it first: when it is in order, it becomes available by itself.")
)

// Wipe has a machine wipe itself when its server is released. The order must have ended: until it is released the customer can take
// that back, and nothing happens to the machine then. Who wants it confirms a mailed code.
func (s *Service) Wipe(ctx context.Context, id ID, by audit.Actor) (Machine, error) {
	if err := staff.Require(by, staff.ServersDestroy); err != nil {
		return Machine{}, err
	}
	m, err := s.Store.Get(ctx, id)
	if err != nil {
		return m, fmt.Errorf("wipe machine: %w", err)
	}
	if err := m.wipeable(); err != nil {
		return m, err
	}
	if err := staff.Confirm(ctx, s.Codes, by, staff.Destroying{Action: staff.WipePool, Object: string(id), Name: m.Name}); err != nil {
		return m, err
	}
	return s.change(ctx, id, by, "pool.wipe", func(now *Machine) error {
		if now.ServerID != m.ServerID {
			return ErrState
		}
		if err := now.wipeable(); err != nil {
			return err
		}
		now.WipeBy, now.WipeAskedAt, now.WipeBegunAt, now.Problem = by.Name, s.Now().UTC(), time.Time{}, ""
		return nil
	})
}

// wipeable says why a machine is not one to be wiped, nil when it is.
func (m Machine) wipeable() error {
	switch {
	case m.State != Taken:
		return ErrState
	case m.EndedAt.IsZero():
		return ErrGoesOn
	}
	return nil
}

// ToBeWiped says whether somebody wants the machine wiped, since the order of its server ended at that time.
func (m Machine) ToBeWiped(ended time.Time) bool {
	return m.State == Taken && m.WipeBy != "" && !m.WipeAskedAt.Before(ended) && m.WipedAt.IsZero()
}

// GivenBack is a machine that no server needs any more. begun says whether something was started on it: then it is nobody's until it
// was wiped. One that wiped itself waits for a look, which shows whether it is in order.
func (m *Machine) GivenBack(begun bool) {
	switch {
	case !m.WipedAt.IsZero():
		m.State, m.ServerID, m.CheckedAt, m.System = Held, "", time.Time{}, ""
	case begun:
		m.State = NeedsHands
	default:
		m.State, m.ServerID = Free, ""
	}
	m.WipeBy, m.WipeAskedAt, m.WipeBegunAt = "", time.Time{}, time.Time{}
}

package pool_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/pool"
	"gatehouse/app/staff"
)

var t0 = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// one is a store of one machine.
type one struct {
	pool.Store
	m       pool.Machine
	changed bool
}

func (s *one) Get(context.Context, pool.ID) (pool.Machine, error) { return s.m, nil }

func (s *one) Change(_ context.Context, _ pool.ID, fn func(*pool.Machine) (*audit.Entry, error)) (pool.Machine, error) {
	_, err := fn(&s.m)
	s.changed = err == nil
	return s.m, err
}

// codes lets in who typed the right code, for a wipe of machine m.
type codes struct{ right bool }

func (c codes) Confirm(_ context.Context, _ audit.Actor, d staff.Destroying) error {
	if !c.right || d != (staff.Destroying{Action: staff.WipePool, Object: "m", Name: "one"}) {
		return &staff.Unconfirmed{Destroying: d, Why: staff.ErrCodeNeeded}
	}
	return nil
}

// TestWipe: a machine is to be wiped only when the order of its server has ended, by who may destroy servers, with the mailed code.
func TestWipe(t *testing.T) {
	t.Parallel()
	owner := audit.Actor{Kind: audit.Staff, Name: "owner@staff.example", Role: string(staff.Owner)}
	clerk := audit.Actor{Kind: audit.Staff, Name: "clerk@staff.example", Role: string(staff.Support)}
	ended := pool.Machine{ID: "m", Name: "one", State: pool.Taken, ServerID: "s", EndedAt: t0}
	goesOn, free := ended, ended
	goesOn.EndedAt, free.State = time.Time{}, pool.Free
	for what, c := range map[string]struct {
		m    pool.Machine
		by   audit.Actor
		code bool
		want func(error) bool
	}{
		"ended":      {ended, owner, true, func(err error) bool { return err == nil }},
		"no code":    {ended, owner, false, func(err error) bool { var u *staff.Unconfirmed; return errors.As(err, &u) }},
		"no right":   {ended, clerk, true, func(err error) bool { return err != nil }},
		"it goes on": {goesOn, owner, true, func(err error) bool { return errors.Is(err, pool.ErrGoesOn) }},
		"nobody's":   {free, owner, true, func(err error) bool { return errors.Is(err, pool.ErrState) }},
	} {
		s := &one{m: c.m}
		p := &pool.Service{Store: s, Codes: codes{c.code}, Now: func() time.Time { return t0.Add(time.Hour) }}
		m, err := p.Wipe(t.Context(), "m", c.by)
		if !c.want(err) || s.changed != (err == nil) {
			t.Errorf("%s: %v", what, err)
		}
		if err == nil && (!m.ToBeWiped(t0) || m.ToBeWiped(t0.Add(2*time.Hour)) || m.WipeBy != owner.Name) {
			t.Errorf("%s: %+v", what, m)
		}
	}
}

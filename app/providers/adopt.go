package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
)

// List gives the adopted machines, by name.
func (s *Service) List(ctx context.Context) ([]Machine, error) { return s.Machines.List(ctx) }

// Others lists the machines in the account that are not adopted.
func (s *Service) Others(ctx context.Context) ([]Listed, error) {
	all, err := s.Account.Servers(ctx)
	if err != nil {
		return nil, s.told(err)
	}
	ours, err := s.Machines.List(ctx)
	if err != nil {
		return nil, err
	}
	adopted := map[int64]bool{}
	for _, m := range ours {
		adopted[m.ID] = true
	}
	others := []Listed{}
	for _, l := range all {
		if !adopted[l.ID] {
			others = append(others, l)
		}
	}
	return others, nil
}

// refusal is an error that says, in words for people, why a provider will not do something.
type refusal interface{ Refusal() string }

// reason is why a provider was not asked with success, in words for people.
func reason(err error) string {
	var r refusal
	if errors.As(err, &r) {
		return r.Refusal()
	}
	return ErrAway.Public
}

// told is a failure at netcup as a page shows it.
func (s *Service) told(err error) error {
	var r refusal
	switch {
	case errors.Is(err, ErrNotConnected):
		return ErrNotConnected
	case errors.As(err, &r):
		return fault.New(fault.Conflict, "provider-refuses", "provider refuses", r.Refusal())
	}
	return fmt.Errorf("%w (%w)", ErrAway, err)
}

// Adopt lets the hub put a new system on a machine in the account. It is held back until somebody makes it available. Region and plan
// are as chosen; without a region it is the one of the city where the machine stands.
func (s *Service) Adopt(ctx context.Context, number int64, region, plan string, by audit.Actor) (Machine, error) {
	if err := staff.Require(by, staff.ProvidersManage); err != nil {
		return Machine{}, err
	}
	l, err := s.Account.Server(ctx, number)
	if err != nil {
		return Machine{}, s.told(err)
	}
	region = cmp.Or(region, l.Region)
	switch {
	case region != "eu" && region != "na":
		return Machine{}, fault.Bad(map[string]string{"region": "Choose a region."})
	case l.Address == "":
		return Machine{}, errNoAddress
	}
	now := s.Now().UTC()
	m := Machine{ID: l.ID, Name: l.Name, Product: l.Product, Region: region, Plan: plan, Address: l.Address, AdoptedAt: now}
	m.Move(Held, now)
	e, err := s.machineEntry(by, "netcup.adopt", m)
	if err != nil {
		return Machine{}, err
	}
	return m, s.Machines.Adopt(ctx, m, *e)
}

func (s *Service) machineEntry(by audit.Actor, action string, m Machine) (*audit.Entry, error) {
	return s.entry(by, action, strconv.FormatInt(m.ID, 10), map[string]string{
		"name": m.Name, "address": m.Address, "state": string(m.State),
	})
}

// move is something that our staff do with an adopted machine: from which states, and into which.
type move struct {
	to   State
	from []State
}

const wipe = "wipe"

var moves = map[string]move{
	"hold": {Held, []State{Free}},
	"free": {Free, []State{Held}},
	wipe:   {Wiping, []State{NeedsHands, Held}},
}

// allows says why a machine cannot be moved so.
func (v move) allows(m Machine) error {
	switch {
	case m.State == Taken:
		return ErrTaken
	case !slices.Contains(v.from, m.State):
		return ErrState
	}
	return nil
}

// Move does what our staff want with an adopted machine: hold it back, free it, or have it wiped, for which they confirm a code.
func (s *Service) Move(ctx context.Context, number int64, act string, by audit.Actor) (Machine, error) {
	if err := staff.Require(by, staff.ProvidersManage); err != nil {
		return Machine{}, err
	}
	v, ok := moves[act]
	if !ok {
		return Machine{}, errAct
	}
	if act == wipe {
		m, err := s.find(ctx, number)
		if err = cmp.Or(err, v.allows(m)); err != nil {
			return Machine{}, err
		}
		if err := staff.Confirm(ctx, s.Codes, by, m.wiped()); err != nil {
			return Machine{}, err
		}
	}
	return s.Machines.Change(ctx, number, func(_ context.Context, m *Machine) (*audit.Entry, error) {
		if err := v.allows(*m); err != nil {
			return nil, err
		}
		m.Move(v.to, s.Now())
		m.Problem = ""
		return s.machineEntry(by, "netcup."+act, *m)
	})
}

// Destroying is the wipe of a machine, by netcup's number of it, as what a code is asked for.
func (s *Service) Destroying(ctx context.Context, number string) (staff.Destroying, error) {
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return staff.Destroying{}, ErrNoMachine
	}
	m, err := s.find(ctx, n)
	return m.wiped(), err
}

// wiped is the act that a code is mailed for.
func (m Machine) wiped() staff.Destroying {
	return staff.Destroying{Action: staff.WipeNetcup, Object: strconv.FormatInt(m.ID, 10), Name: m.Name}
}

// find finds an adopted machine.
func (s *Service) find(ctx context.Context, number int64) (Machine, error) {
	all, err := s.Machines.List(ctx)
	if err != nil {
		return Machine{}, err
	}
	for _, m := range all {
		if m.ID == number {
			return m, nil
		}
	}
	return Machine{}, ErrNoMachine
}

var errAct = fault.New(fault.Invalid, "act", "unknown act", "There is no such action. Nothing was changed.")

// Forget takes a machine that is nobody's off the list. The machine itself is not touched.
func (s *Service) Forget(ctx context.Context, number int64, by audit.Actor) error {
	if err := staff.Require(by, staff.ProvidersManage); err != nil {
		return err
	}
	e, err := s.machineEntry(by, "netcup.forget", Machine{ID: number})
	if err != nil {
		return err
	}
	return s.Machines.Forget(ctx, number, *e)
}

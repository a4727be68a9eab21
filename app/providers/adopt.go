package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// moves are what our staff do with an adopted machine: from which states, and into which.
var moves = map[string]struct {
	to   State
	from []State
}{
	"hold": {Held, []State{Free}},
	"free": {Free, []State{Held}},
	"wipe": {Wiping, []State{NeedsHands, Held}},
}

// Move does what our staff want with an adopted machine: hold it back, free it, or have it wiped.
func (s *Service) Move(ctx context.Context, number int64, act string, by audit.Actor) (Machine, error) {
	if err := staff.Require(by, staff.ProvidersManage); err != nil {
		return Machine{}, err
	}
	move, ok := moves[act]
	if !ok {
		return Machine{}, errAct
	}
	return s.Machines.Change(ctx, number, func(_ context.Context, m *Machine) (*audit.Entry, error) {
		if m.State == Taken {
			return nil, ErrTaken
		}
		for _, from := range move.from {
			if m.State == from {
				m.Move(move.to, s.Now())
				m.Problem = ""
				return s.machineEntry(by, "netcup."+act, *m)
			}
		}
		return nil, ErrState
	})
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

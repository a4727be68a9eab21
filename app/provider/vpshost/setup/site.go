package setup

import (
	"context"
	"errors"

	"gatehouse/app/provider/target"
	"gatehouse/app/provider/vpshost"
)

// Setups says how far the set-up of a server's machine is; db.Setups does.
type Setups interface {
	// Begun says whether it was ever begun.
	Begun(ctx context.Context, serverID string) (bool, error)
	// Leaving says whether its last step was begun, which takes the hub's way in away.
	Leaving(ctx context.Context, serverID string) (bool, error)
}

// Keys gives servers keys of their own at the model provider; modelkey.Service does.
type Keys interface {
	// For is the key of a server, or usual where there are none of their own.
	For(ctx context.Context, serverID, usual string) (string, error)
}

// Site sets the machines of one provider up.
type Site struct {
	Runner *Runner
	Setups Setups
	Keys   Keys // nil: all servers use the plan's
	Plan   Plan // what every server gets; server, token, seed and the owner's SSH key are filled in
}

// Install takes a server's machine through all steps but the last. It gives the machine as it is met from now on, also when a step
// failed.
func (s *Site) Install(ctx context.Context, at target.Machine, v vpshost.Setup) (target.Machine, error) {
	steps := Steps()
	return s.visit(ctx, at, v, steps[:len(steps)-1])
}

// Finish takes the hub's way in away.
func (s *Site) Finish(ctx context.Context, at target.Machine, v vpshost.Setup) (target.Machine, error) {
	steps := Steps()
	return s.visit(ctx, at, v, steps[len(steps)-1:])
}

func (s *Site) visit(ctx context.Context, at target.Machine, v vpshost.Setup, steps []Step) (target.Machine, error) {
	plan := s.Plan
	plan.ServerID, plan.Token, plan.Seed, plan.AdminKey = v.ServerID, v.Token, v.Seed, v.AdminKey
	if s.Keys != nil && plan.ModelURL != "" {
		key, err := s.Keys.For(ctx, v.ServerID, plan.ModelKey)
		if err != nil {
			return at, err
		}
		plan.ModelKey = key
	}
	plan = s.Runner.Named(plan, v.Name)
	met, err := s.Runner.Run(ctx, at, plan, steps, v.Say)
	if !errors.Is(err, target.ErrKeyRefused) {
		return met, err
	}
	left, leftErr := s.Setups.Leaving(ctx, v.ServerID)
	if left {
		v.Say("The machine does not let the hub in any more: its set-up was complete.")
		return met, nil
	}
	return met, errors.Join(err, leftErr)
}

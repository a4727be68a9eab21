package gate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/tool"
)

// How long a tool may take to say what a call would do. Both end in a refusal, never in an act.
const (
	classifyWithin = time.Second
	measureWithin  = 15 * time.Second
)

// visible is stage 1: is the tool in this agent's set?
func (p *pass) visible() error {
	if err := p.find(); err != nil {
		return err
	}
	if p.g.d.Rules.State().Off(p.c.Agent) {
		return &refusal{"visibility", "the agent is switched off", "You are switched off by the owner."}
	}
	if ok, why := p.g.d.Sets.Visible(p.c.Agent, p.c.Tool); !ok {
		return &refusal{"visibility", why, fmt.Sprintf("You cannot use the tool %q: %s.", p.tool(), why)}
	}
	return nil
}

func (p *pass) find() error {
	e, ok := p.g.find(p.c.Tool)
	if !ok {
		return &refusal{"visibility", "there is no such tool", fmt.Sprintf("There is no tool named %q.", p.tool())}
	}
	p.e = e
	return nil
}

// fits is stage 2: from here on the arguments are canonical, so that no two parsers can read them differently.
func (p *pass) fits() error {
	if len(p.c.Args) > maxArgs {
		return invalid(fmt.Errorf("%d bytes of arguments are too many", len(p.c.Args)))
	}
	args, err := canonical.JSON(p.c.Args)
	if err != nil {
		return invalid(err)
	}
	if err := validate(p.e.schema, args); err != nil {
		return invalid(err)
	}
	p.c.Args, p.argsHash = args, canonical.Sum(args)
	return nil
}

func invalid(err error) error {
	why := clip(err.Error(), 1000)
	return &refusal{"arguments", why, "The arguments do not fit: " + why + ". Nothing was done."}
}

// classify is stage 3. A tool that panics or hangs here is refused.
func (p *pass) classify() error {
	got, args := make(chan policy.Class, 1), p.c.Args // a late one goes on beside us
	go func() {
		defer func() {
			if r := recover(); r != nil {
				got <- policy.Refuse("tool.call.unreadable", "the gate could not judge this call")
			}
		}()
		got <- p.e.tool.Classify(args)
	}()
	limit := time.NewTimer(p.g.patience)
	defer limit.Stop()
	select {
	case p.class = <-got:
	case <-limit.C:
		p.class = policy.Refuse("tool.call.unreadable", "judging this call took too long")
	}
	if p.class.Tier.Rank() == policy.Forbidden.Rank() {
		p.class.Tier = policy.Forbidden // also for a tier that does not exist
	}
	p.class = shown(p.class)
	return nil
}

// lift makes of the call what the owner's tiers make of it.
func (p *pass) lift() {
	m, _ := p.g.d.Rules.State().Rules()
	p.class = m.Lift(p.c.Tool, p.class)
}

// measure looks at the world; what it finds may only make the call riskier.
func (p *pass) measure(ctx context.Context) error {
	m, ok := p.e.tool.(Measurer)
	if !ok {
		return nil
	}
	var found Measured
	args := p.c.Args
	err := guard(ctx, measureWithin, func(ctx context.Context) (err error) {
		found, err = m.Measure(ctx, args)
		return err
	})
	if err != nil {
		return p.stopped(ctx, "measure", err)
	}
	p.facts, p.frozen = found.Facts, found.Frozen
	if found.Raise.Tier != "" && policy.Worst(p.class.Tier, found.Raise.Tier) == found.Raise.Tier {
		p.class = shown(raise(p.class, found.Raise))
	}
	return nil
}

// raise puts what was measured over what the arguments said, keeping what it leaves open.
func raise(c, up policy.Class) policy.Class {
	if up.Action == "" {
		up.Action = c.Action
	}
	if up.Says == "" {
		up.Says = c.Says
	}
	up.Outside = append(up.Outside, c.Outside...)
	up.External = c.Outward()
	return up
}

// stage prepares the change aside.
func (p *pass) stage(ctx context.Context) error {
	s, ok := p.e.tool.(Stager)
	if !ok || p.class.Tier == policy.Forbidden {
		return nil
	}
	var staged Staged
	id, args := p.c.ID, p.c.Args
	err := guard(ctx, measureWithin, func(ctx context.Context) (err error) {
		staged, err = s.Stage(ctx, id, args)
		return err
	})
	if err != nil {
		return p.stopped(ctx, "staging", err)
	}
	staged.Unified = redact.Text(staged.Unified) // it is kept, and the lines around a change are the file's
	p.staged = &staged
	return nil
}

// stopped turns the error of a tool that only looked into a refusal that the model can read. It is no fault of the tool when
// the call itself was stopped.
func (p *pass) stopped(ctx context.Context, stage string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var no *tool.Refused
	if errors.As(err, &no) {
		return &refusal{stage, no.Text, no.Text}
	}
	p.g.d.Log.Error("tool could not look before a call", "tool", p.c.Tool, "call_id", p.c.ID, "stage", stage, "error", err)
	return &refusal{stage, "it could not be looked at first", "This could not be looked at before doing it, so it was not done."}
}

// guard runs fn with a limit and turns a panic into an error. It returns when fn does not: a late fn goes on beside the
// caller, so it may read nothing that the caller changes, and what it sets counts only without an error.
func guard(ctx context.Context, within time.Duration, fn func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	got := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				got <- fmt.Errorf("panicked: %v", r)
			}
		}()
		got <- fn(ctx)
	}()
	select {
	case err := <-got:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

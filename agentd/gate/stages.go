package gate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/config"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/tool"
)

// How long a tool may take to say what a call would do. A tool that takes longer is refused.
const (
	classifyWithin = time.Second
	measureWithin  = 15 * time.Second
)

// checkVisible is stage 1: is the tool in this agent's set?
func (p *pipeline) checkVisible() error {
	if err := p.loadTool(); err != nil {
		return err
	}
	return p.visibleUnder(p.config())
}

// visibleUnder says whether the agent may use the tool under a configuration.
func (p *pipeline) visibleUnder(s config.State) error {
	if s.Off(p.call.Agent) {
		return &refusal{"visibility", "the agent is switched off", "You are switched off by the owner."}
	}
	if ok, why := p.deps.Sets.Visible(s, p.call); !ok {
		return &refusal{"visibility", why, fmt.Sprintf("You cannot use the tool %q: %s.", p.toolName(), why)}
	}
	return nil
}

func (p *pipeline) loadTool() error {
	e, ok := p.findTool(p.call.Tool)
	if !ok {
		return &refusal{"visibility", "there is no such tool", fmt.Sprintf("There is no tool named %q.", p.toolName())}
	}
	p.toolEntry = e
	return nil
}

// checkArgs is stage 2: from here on the arguments are canonical, so no two parsers can read them differently.
func (p *pipeline) checkArgs() error {
	if len(p.call.Args) > maxArgs {
		return argsRefusal(fmt.Errorf("%d bytes of arguments are too many", len(p.call.Args)))
	}
	args, err := canonical.JSON(p.call.Args)
	if err != nil {
		return argsRefusal(err)
	}
	if err := validateArgs(p.schema, args); err != nil {
		return argsRefusal(err)
	}
	p.call.Args, p.argsHash = args, canonical.Sum(args)
	return nil
}

func argsRefusal(err error) error {
	why := clip(err.Error(), 1000)
	return &refusal{"arguments", why, "The arguments do not fit: " + why + ". Nothing was done."}
}

// classify is stage 3. A tool that panics or hangs here is refused.
func (p *pipeline) classify() error {
	got, args := make(chan policy.Class, 1), p.call.Args // a late answer goes nowhere
	go func() {
		defer func() {
			if r := recover(); r != nil {
				got <- policy.Refuse("tool.call.unreadable", "the gate could not judge this call")
			}
		}()
		got <- p.tool.Classify(args)
	}()
	limit := time.NewTimer(p.classifyTimeout)
	defer limit.Stop()
	select {
	case p.class = <-got:
	case <-limit.C:
		p.class = policy.Refuse("tool.call.unreadable", "judging this call took too long")
	}
	if p.class.Tier.Rank() == policy.Forbidden.Rank() {
		p.class.Tier = policy.Forbidden // also for a tier that does not exist
	}
	p.class = clipClass(p.class)
	return nil
}

// applyOwnerTiers raises the tier of the call as the owner's rules say.
func (p *pipeline) applyOwnerTiers() {
	m, _ := p.rules()
	p.class = m.Lift(p.call.Tool, p.class)
}

// measure looks at the world. What it finds may only make the call riskier.
func (p *pipeline) measure(ctx context.Context) error {
	m, ok := p.tool.(Measurer)
	if !ok {
		return nil
	}
	var found Measured
	args := p.call.Args
	err := bounded(ctx, measureWithin, func(ctx context.Context) (err error) {
		found, err = m.Measure(ctx, args)
		return err
	})
	if err != nil {
		return p.lookError(ctx, "measure", err)
	}
	p.facts, p.frozen = found.Facts, found.Frozen
	if found.Raise.Tier != "" && policy.Worst(p.class.Tier, found.Raise.Tier) == found.Raise.Tier {
		p.class = clipClass(raiseClass(p.class, found.Raise))
	}
	return nil
}

// raiseClass puts what was measured over what the arguments said, and keeps fields that it leaves empty.
func raiseClass(c, up policy.Class) policy.Class {
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

// stageChange prepares the change aside.
func (p *pipeline) stageChange(ctx context.Context) error {
	s, ok := p.tool.(Stager)
	if !ok || p.class.Tier == policy.Forbidden {
		return nil
	}
	var staged Staged
	id, args := p.call.ID, p.call.Args
	err := bounded(ctx, measureWithin, func(ctx context.Context) (err error) {
		staged, err = s.Stage(ctx, id, args)
		return err
	})
	if err != nil {
		return p.lookError(ctx, "staging", err)
	}
	staged.Unified = redact.Text(staged.Unified) // the diff is stored, and shows lines of the file around the change
	p.staged = &staged
	return nil
}

// lookError turns the error of a tool that only looked into a refusal that the model can read. If the call itself was stopped,
// the tool is not to blame.
func (p *pipeline) lookError(ctx context.Context, stage string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var no *tool.Refused
	if errors.As(err, &no) {
		return &refusal{stage, no.Text, no.Text}
	}
	p.log.Error("tool could not look before a call", "tool", p.call.Tool, "call_id", p.call.ID, "stage", stage, "error", err)
	return &refusal{stage, "it could not be looked at first", "This could not be looked at before doing it, so it was not done."}
}

// bounded runs fn with a time limit and turns a panic into an error. It returns even when fn does not. A late fn keeps
// running, so it may read nothing that the caller changes, and what it sets counts only without an error.
func bounded(ctx context.Context, within time.Duration, fn func(context.Context) error) error {
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

package gate

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// allowed takes a call that a person has allowed to its start. The world is looked at again first: what a person saw
// must be what happens, so whatever changed is asked anew.
func (p *pass) allowed(ctx context.Context, a *question) (Outcome, error) {
	p.startedBy = -1
	for {
		d, why, err := p.again(ctx, a)
		if err != nil {
			return p.end(ctx, err)
		}
		failpoint.Hit("checked")
		if why != "" {
			return p.supersede(ctx, a, d, why)
		}
		err = p.start(ctx, d, a)
		if errors.Is(err, errStale) {
			continue
		}
		if err != nil {
			return p.end(ctx, err)
		}
		return p.run(ctx)
	}
}

// again judges the call as it would be made now. why says what a person has to be asked about; empty: nothing.
func (p *pass) again(ctx context.Context, a *question) (d decision, why string, err error) {
	if len(a.Edited) > 0 {
		p.c.Args = a.Edited
	}
	was := *p
	if err := p.visible(); err != nil {
		return d, "", err
	}
	if err := p.fits(); err != nil {
		return d, "", err
	}
	if err := p.weigh(ctx); err != nil {
		return d, "", err
	}
	p.reconsider(ctx, a)
	d = p.decide(ctx)
	if d.err != nil {
		return d, "", d.err
	}
	if d.Effect == policy.Deny {
		return d, "", &refusal{"rules", d.Why, fmt.Sprintf("This was refused: %s.", d.Why)}
	}
	if err := p.limitedStart(ctx, a); err != nil {
		return d, "", err
	}
	counts, err := p.g.counts(context.WithoutCancel(ctx), nil, a.Key)
	if err == nil && !counts {
		return d, "the key that signed the answer was revoked", nil
	}
	return d, p.changed(ctx, &was, a, d), err
}

// changed says in which way the world is no longer the one that the person decided about.
func (p *pass) changed(ctx context.Context, was *pass, a *question, d decision) string {
	switch {
	case policy.Rises(policy.Tier(a.Tier), p.class.Tier):
		return "it is riskier than what was allowed"
	case !p.g.clock.now().Before(a.ExpiresAt):
		return "the time to carry it out ran out"
	case (d.version != a.PolicyVersion || d.rules != a.RulesVersion) && d.Effect == policy.Ask:
		return "the rules changed meanwhile"
	case len(a.Edited) > 0:
		return p.doubted() // the person wrote this one: there is no former world to compare with
	case !p.holds(ctx, was.frozen):
		return "what it would act on changed meanwhile"
	case was.staged != nil && (p.staged == nil || p.staged.Hash != was.staged.Hash || p.staged.Before != was.staged.Before):
		return "the file changed meanwhile"
	}
	return ""
}

// holds says whether what was frozen before the decision still is as it was. The call then acts on exactly that.
func (p *pass) holds(ctx context.Context, frozen []byte) bool {
	if h, ok := p.e.tool.(Holder); ok {
		err := guard(ctx, measureWithin, func(ctx context.Context) error { return h.Holds(ctx, p.c.Args, frozen) })
		if err == nil {
			p.frozen = frozen
		}
		return err == nil
	}
	return bytes.Equal(p.frozen, frozen)
}

// supersede replaces an approval by a new one for the call as it now is, and waits for that.
func (p *pass) supersede(ctx context.Context, old *question, d decision, why string) (Outcome, error) {
	if d.Effect == policy.Allow {
		d.Why = why
	}
	a, err := p.question(d)
	if err != nil {
		return p.end(ctx, err)
	}
	a.WhyAsked = "asked again: " + why
	r := p.record(stateAsked)
	r.Approval = a.ID
	old.State, old.Execution, old.Next = wire.ApprovalSuperseded, wire.ExecNone, a.ID
	err = p.g.write(ctx, func(ch change) error {
		if err := ch.question(old, why); err != nil {
			return err
		}
		return ch.asked(p, r, a)
	})
	if err != nil {
		return p.end(ctx, err)
	}
	p.rec, p.notes = r, nil
	failpoint.Hit("superseded")
	return p.await(ctx, a.ID)
}

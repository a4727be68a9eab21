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

// startApproved starts a call that a person has allowed. It looks at the world again first: what the person saw must be what
// happens, so anything that changed is asked again.
func (p *pipeline) startApproved(ctx context.Context, a *approval) (Outcome, error) {
	p.startLimitsVersion = -1
	for {
		d, why, err := p.recheck(ctx, a)
		if err != nil {
			return p.endWith(ctx, err)
		}
		failpoint.Hit("checked")
		if why != "" {
			return p.supersede(ctx, a, d, why)
		}
		err = p.recordStart(ctx, d, a)
		if errors.Is(err, errStale) {
			continue
		}
		if err != nil {
			return p.endWith(ctx, err)
		}
		return p.runTool(ctx)
	}
}

// recheck judges the call as it would be made now. why says what a person must be asked about; empty: nothing.
func (p *pipeline) recheck(ctx context.Context, a *approval) (d decision, why string, err error) {
	if len(a.Edited) > 0 {
		p.call.Args = a.Edited
	}
	was := *p
	if err := p.checkVisible(); err != nil {
		return d, "", err
	}
	if err := p.checkArgs(); err != nil {
		return d, "", err
	}
	if err := p.assess(ctx); err != nil {
		return d, "", err
	}
	p.askGuardianAgain(ctx, a)
	d = p.decide(ctx)
	if d.err != nil {
		return d, "", d.err
	}
	if d.Effect == policy.Deny {
		return d, "", &refusal{"rules", d.Why, fmt.Sprintf("This was refused: %s.", d.Why)}
	}
	if err := p.checkStartLimits(ctx, a); err != nil {
		return d, "", err
	}
	counts, err := p.keyIsValid(context.WithoutCancel(ctx), nil, a.Key)
	if err == nil && !counts {
		return d, revoked(a.Key), nil
	}
	return d, p.whatChanged(ctx, &was, a, d), err
}

// revoked says that what a decision rests on was taken back.
func revoked(key string) string {
	if _, is := pairedOf(key); is {
		return "the identity that decided belongs to the owner no more"
	}
	return "the key that signed the answer was revoked"
}

// whatChanged says how the world differs from the one that the person decided about; empty: it does not.
func (p *pipeline) whatChanged(ctx context.Context, was *pipeline, a *approval, d decision) string {
	switch {
	case policy.Rises(policy.Tier(a.Tier), p.class.Tier):
		return "it is riskier than what was allowed"
	case !p.clock.now().Before(a.ExpiresAt):
		return "the time to carry it out ran out"
	case (d.version != a.PolicyVersion || d.rules != a.RulesVersion) && d.Effect == policy.Ask:
		return "the rules changed meanwhile"
	case len(a.Edited) > 0:
		return p.guardianDoubt() // the person wrote this call: there is no earlier world to compare with
	case !p.frozenHolds(ctx, was.frozen):
		return "what it would act on changed meanwhile"
	case was.staged != nil && (p.staged == nil || p.staged.Hash != was.staged.Hash || p.staged.Before != was.staged.Before):
		return "the file changed meanwhile"
	}
	return ""
}

// frozenHolds reports whether what was frozen before the decision is still as it was. The call then acts on exactly that.
func (p *pipeline) frozenHolds(ctx context.Context, frozen []byte) bool {
	if h, ok := p.tool.(Holder); ok {
		err := bounded(ctx, measureWithin, func(ctx context.Context) error { return h.Holds(ctx, p.call.Args, frozen) })
		if err == nil {
			p.frozen = frozen
		}
		return err == nil
	}
	return bytes.Equal(p.frozen, frozen)
}

// supersede replaces an approval with a new one for the call as it is now, and waits for that.
func (p *pipeline) supersede(ctx context.Context, old *approval, d decision, why string) (Outcome, error) {
	if d.Effect == policy.Allow {
		d.Why = why
	}
	a, err := p.newApproval(d)
	if err != nil {
		return p.endWith(ctx, err)
	}
	a.WhyAsked = "asked again: " + why
	r := p.newRecord(stateAsked)
	r.Approval = a.ID
	old.State, old.Execution, old.Next = wire.ApprovalSuperseded, wire.ExecNone, a.ID
	err = p.write(ctx, func(t txn) error {
		if err := t.updateApproval(old, why); err != nil {
			return err
		}
		return t.saveRequest(p, r, a)
	})
	if err != nil {
		return p.endWith(ctx, err)
	}
	p.record, p.receipts = r, nil
	failpoint.Hit("superseded")
	return p.awaitApproval(ctx, a.ID)
}

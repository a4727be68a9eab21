package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// pipeline is one call on its way through the stages.
type pipeline struct {
	*Gate
	call     Call // Args canonical once they fit
	onParked func(bool)

	toolEntry
	rawArgsHash string // SHA-256 of the arguments as the model wrote them
	argsHash    string // of the canonical arguments
	class       policy.Class
	facts       []tool.Fact

	scanEffect     policy.Effect // verdict of the scan of what leaves; empty: none
	scanWhy        string
	scanKinds      []string // kinds of what the scan found
	judgement      *wire.Judgement
	resultSources  []policy.Source // content from outside in the result
	attackPatterns []string        // known patterns of an attack in it

	frozen json.RawMessage
	staged *Staged
	uses   []Use   // places where the call would put secrets
	leases []Lease // what was granted for them

	resumed            bool   // runs again after a crash, under the same call id
	limitsVersion      int64  // version of the rules whose limits it was held to
	startLimitsVersion int64  // the same, after a person allowed it; -1: none yet
	guardianAskedFor   string // the approval whose edited arguments the guardian was asked about

	record   *callRecord     // nil until the first Write
	receipts []receipt.Entry // receipts of stages passed, for the next Write
}

// refusal ends a call at a stage. Why is for people and receipts, text for the model.
type refusal struct{ stage, why, text string }

func (r *refusal) Error() string { return r.stage + ": " + r.why }

// startOrResume starts a call, or continues it where its record says it is.
func (g *Gate) startOrResume(ctx context.Context, c Call, parked func(bool)) (Outcome, error) {
	r, err := loadRecord(context.WithoutCancel(ctx), g.db.Read(), c.ID)
	if err != nil {
		return Outcome{}, err
	}
	if r == nil {
		return g.startCall(ctx, c, parked)
	}
	if !r.isCall(c) {
		return g.refuseReusedID(ctx, c, r)
	}
	if err := g.notifyAgain(ctx, r); err != nil {
		return Outcome{}, err
	}
	if r.ended() {
		return r.outcome(), nil
	}
	r.Call.Request = c.Request
	return g.resumeCall(ctx, r, parked)
}

// notifyAgain tells listeners where a call of an earlier process stands: it may have ended before they could keep what they
// heard.
func (g *Gate) notifyAgain(ctx context.Context, r *callRecord) error {
	g.notifyTool(r.Call.RootRunID, r.Call.SessionID, r.toolData())
	if r.State != stateAsked {
		return nil
	}
	a, err := loadApproval(context.WithoutCancel(ctx), g.db.Read(), r.Approval)
	if err != nil || a == nil {
		return err
	}
	g.notifyApproval(a.Approval)
	return nil
}

// startCall takes a new call through stages 1 to 3 and on.
func (g *Gate) startCall(ctx context.Context, c Call, parked func(bool)) (Outcome, error) {
	p := &pipeline{Gate: g, call: c, onParked: parked, rawArgsHash: rawHash(c.Args)}
	p.addRequestedReceipt()
	g.notifyTool(c.RootRunID, c.SessionID, wire.ToolData{
		RunID: c.RunID, Agent: c.Agent, CallID: c.ID, Tool: p.toolName(), State: wire.ToolRequested,
	})
	failpoint.Hit("requested")
	return p.recoverPanics(ctx, func() (Outcome, error) {
		err := p.inspect(ctx)
		if err == nil {
			err = p.checkLimits(ctx)
		}
		if err == nil {
			p.askGuardian(ctx)
			failpoint.Hit("classified")
			return p.proceed(ctx)
		}
		return p.endWith(ctx, err)
	})
}

// refuseReusedID refuses a call that comes under the id of another one. The record of the other call stays as it is.
func (g *Gate) refuseReusedID(ctx context.Context, c Call, r *callRecord) (Outcome, error) {
	p := &pipeline{Gate: g, call: c}
	no := &refusal{"identity", "the id of this call belongs to another call", "This call was refused: its id was used before."}
	err := g.write(ctx, func(t txn) error {
		return t.appendReceipts([]receipt.Entry{p.newReceipt("call.denied", map[string]any{"stage": no.stage, "why": no.why})})
	})
	return Outcome{State: wire.ToolDenied, Text: no.text, Tier: string(r.Class.Tier)}, err
}

// inspect takes the call through every stage that looks at it: whether it is visible, whether it fits, what it would do.
func (p *pipeline) inspect(ctx context.Context) error {
	if err := p.checkVisible(); err != nil {
		return err
	}
	if err := p.checkArgs(); err != nil {
		p.addInvalidReceipt(err)
		return err
	}
	if err := p.assess(ctx); err != nil {
		return err
	}
	p.addClassifiedReceipt()
	return nil
}

// assess classifies, measures and stages. A forbidden call is not looked at any further.
func (p *pipeline) assess(ctx context.Context) error {
	if err := p.classify(); err != nil {
		return err
	}
	if p.class.Tier == policy.Forbidden {
		return nil
	}
	if err := p.scanOutgoing(ctx); err != nil {
		return err
	}
	if err := p.checkRefs(ctx); err != nil {
		return err
	}
	if err := p.measure(ctx); err != nil {
		return err
	}
	p.applyOwnerTiers()
	return p.stageChange(ctx)
}

// endWith ends a call with the error that stopped it before anything ran.
func (p *pipeline) endWith(ctx context.Context, err error) (Outcome, error) {
	var no *refusal
	switch {
	case ctx.Err() != nil:
		return p.withdraw(ctx)
	case errors.As(err, &no):
		return p.deny(ctx, no)
	}
	return Outcome{}, err
}

// proceed decides, and carries out the decision, until the call has ended. If the configuration changes between decision and
// act, it decides again.
func (p *pipeline) proceed(ctx context.Context) (Outcome, error) {
	for {
		d := p.decide(ctx)
		if d.err != nil {
			return p.endWith(ctx, d.err)
		}
		if err := p.recheckRuleLimits(ctx, d); err != nil {
			return p.endWith(ctx, err)
		}
		switch d.Effect {
		case policy.Allow:
			err := p.recordStart(ctx, d, nil)
			if errors.Is(err, errStale) {
				continue
			}
			if err != nil {
				return p.endWith(ctx, err)
			}
			return p.runTool(ctx)
		case policy.Ask:
			id, err := p.requestApproval(ctx, d)
			if errors.Is(err, errStale) {
				continue
			}
			if err != nil {
				return p.endWith(ctx, err)
			}
			return p.awaitApproval(ctx, id)
		default:
			return p.deny(ctx, &refusal{"rules", d.Why, fmt.Sprintf("This was refused: %s.", d.Why)})
		}
	}
}

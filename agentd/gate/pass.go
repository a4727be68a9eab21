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

// pass is one call on its way through the stages.
type pass struct {
	g      *Gate
	c      Call // Args canonical once they fit
	parked func(bool)

	e         entry
	asWritten string // SHA-256 of the arguments as the model wrote them
	argsHash  string // of the canonical arguments
	class     policy.Class
	facts     []tool.Fact

	outgoing    policy.Effect // what the scan of what leaves says
	outgoingWhy string
	found       []string // kinds of what the scan found
	judged      *wire.Judgement
	brought     []policy.Source // content from outside in the result
	flagged     []string        // patterns noticed in it

	frozen json.RawMessage
	staged *Staged
	uses   []Use   // places where the call would put secrets
	leases []Lease // what was granted for them

	resumed   bool   // runs again after a crash, under the same call id
	limitedBy int64  // version of the rules whose limits it was held to
	startedBy int64  // the same, since a person allowed it; -1: to none yet
	reheard   string // the approval whose edited arguments the guardian was asked about

	rec   *record         // nil until the first Write
	notes []receipt.Entry // receipts of stages passed, for the next Write
}

// refusal ends a call at a stage. Why is for people and receipts, text for the model.
type refusal struct{ stage, why, text string }

func (r *refusal) Error() string { return r.stage + ": " + r.why }

// take starts a call or goes on with it, as the records say.
func (g *Gate) take(ctx context.Context, c Call, parked func(bool)) (Outcome, error) {
	r, err := loadRecord(context.WithoutCancel(ctx), g.d.DB.Read(), c.ID)
	if err != nil {
		return Outcome{}, err
	}
	if r == nil {
		return g.first(ctx, c, parked)
	}
	if !r.same(c) {
		return g.foreign(ctx, c, r)
	}
	if err := g.tellAgain(ctx, r); err != nil {
		return Outcome{}, err
	}
	if r.ended() {
		return r.outcome(), nil
	}
	r.Call.Request = c.Request
	return g.resume(ctx, r, parked)
}

// tellAgain tells listeners where a call of a former life stands: it may have ended before they could keep what they heard.
func (g *Gate) tellAgain(ctx context.Context, r *record) error {
	g.tellTool(r.Call.RootRunID, r.Call.SessionID, r.toolData())
	if r.State != stateAsked {
		return nil
	}
	a, err := loadQuestion(context.WithoutCancel(ctx), g.d.DB.Read(), r.Approval)
	if err != nil || a == nil {
		return err
	}
	g.tellApproval(a.Approval)
	return nil
}

// first takes a new call through stages 1 to 3 and on.
func (g *Gate) first(ctx context.Context, c Call, parked func(bool)) (Outcome, error) {
	p := &pass{g: g, c: c, parked: parked, asWritten: rawHash(c.Args)}
	p.noteRequested()
	g.tellTool(c.RootRunID, c.SessionID, wire.ToolData{RunID: c.RunID, Agent: c.Agent, CallID: c.ID, Tool: p.tool(), State: wire.ToolRequested})
	failpoint.Hit("requested")
	return p.safely(ctx, func() (Outcome, error) {
		err := p.judge(ctx)
		if err == nil {
			err = p.limited(ctx)
		}
		if err == nil {
			p.consult(ctx)
			failpoint.Hit("classified")
			return p.proceed(ctx)
		}
		return p.end(ctx, err)
	})
}

// foreign refuses a call that comes under the id of another one. The other's record stays as it is.
func (g *Gate) foreign(ctx context.Context, c Call, r *record) (Outcome, error) {
	p := &pass{g: g, c: c}
	no := &refusal{"identity", "the id of this call belongs to another call", "This call was refused: its id was used before."}
	err := g.write(ctx, func(ch change) error {
		return ch.receipts([]receipt.Entry{p.entry("call.denied", map[string]any{"stage": no.stage, "why": no.why})})
	})
	return Outcome{State: wire.ToolDenied, Text: no.text, Tier: string(r.Class.Tier)}, err
}

// judge takes the call through every stage that looks at it: is it visible, does it fit, what would it do.
func (p *pass) judge(ctx context.Context) error {
	if err := p.visible(); err != nil {
		return err
	}
	if err := p.fits(); err != nil {
		p.noteInvalid(err)
		return err
	}
	if err := p.weigh(ctx); err != nil {
		return err
	}
	p.noteClassified()
	return nil
}

// weigh classifies, measures and stages. What is forbidden is not looked at any further.
func (p *pass) weigh(ctx context.Context) error {
	if err := p.classify(); err != nil {
		return err
	}
	if p.class.Tier == policy.Forbidden {
		return nil
	}
	if err := p.scan(ctx); err != nil {
		return err
	}
	if err := p.refs(ctx); err != nil {
		return err
	}
	if err := p.measure(ctx); err != nil {
		return err
	}
	p.lift()
	return p.stage(ctx)
}

// end turns what stopped a call before anything ran into its outcome.
func (p *pass) end(ctx context.Context, err error) (Outcome, error) {
	var no *refusal
	switch {
	case ctx.Err() != nil:
		return p.abandon(ctx)
	case errors.As(err, &no):
		return p.deny(ctx, no)
	}
	return Outcome{}, err
}

// proceed decides, and does what the decision says, until the call has ended. A configuration that changes between
// decision and act makes it decide again.
func (p *pass) proceed(ctx context.Context) (Outcome, error) {
	for {
		d := p.decide(ctx)
		if d.err != nil {
			return p.end(ctx, d.err)
		}
		if err := p.limitedAgain(ctx, d); err != nil {
			return p.end(ctx, err)
		}
		switch d.Effect {
		case policy.Allow:
			err := p.start(ctx, d, nil)
			if errors.Is(err, errStale) {
				continue
			}
			if err != nil {
				return p.end(ctx, err)
			}
			return p.run(ctx)
		case policy.Ask:
			id, err := p.ask(ctx, d)
			if errors.Is(err, errStale) {
				continue
			}
			if err != nil {
				return p.end(ctx, err)
			}
			return p.await(ctx, id)
		default:
			return p.deny(ctx, &refusal{"rules", d.Why, fmt.Sprintf("This was refused: %s.", d.Why)})
		}
	}
}

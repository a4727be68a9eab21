package gate

import (
	"context"
	"errors"
	"fmt"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/wire"
)

// awaitApproval is the second half of stage 7: it waits until the approval, or the one that replaced it, is decided.
func (p *pipeline) awaitApproval(ctx context.Context, id string) (Outcome, error) {
	a, err := p.waitForAnswer(ctx, id)
	switch {
	case errors.Is(err, ErrClosing):
		return Outcome{}, err
	case ctx.Err() != nil:
		return p.withdraw(ctx)
	case err != nil:
		return Outcome{}, err
	case a.State != wire.ApprovalAllowed:
		return p.storedOutcome(ctx)
	}
	p.record.Approval = a.ID // a refused decision may have replaced the one that was asked
	failpoint.Hit("answered")
	return p.startApproved(ctx, a)
}

// waitForAnswer blocks until the approval is decided, and follows it to its successor. It tells onParked about the wait.
func (p *pipeline) waitForAnswer(ctx context.Context, id string) (*approval, error) {
	waits := false
	defer func() {
		if waits {
			p.onParked(false)
		}
	}()
	for {
		changed := p.watchApproval(id)
		a, err := loadApproval(context.WithoutCancel(ctx), p.db.Read(), id)
		if err != nil {
			return nil, err
		}
		if a == nil {
			return nil, fmt.Errorf("approval %s is not on record", id)
		}
		if a.State == wire.ApprovalSuperseded && a.Next != "" {
			id = a.Next
			continue
		}
		if a.State != wire.ApprovalPending {
			return a, nil
		}
		if !waits {
			waits = true
			p.onParked(true)
		}
		select {
		case <-changed:
		case <-p.closing:
			return nil, ErrClosing
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// storedOutcome is the outcome that a decision wrote: denied, expired or withdrawn.
func (p *pipeline) storedOutcome(ctx context.Context) (Outcome, error) {
	r, err := loadRecord(context.WithoutCancel(ctx), p.db.Read(), p.call.ID)
	switch {
	case err != nil:
		return Outcome{}, err
	case r == nil || !r.ended():
		return Outcome{}, fmt.Errorf("call %s was decided but has not ended", p.call.ID)
	}
	p.discardStaged(ctx)
	return r.outcome(), nil
}

// resumeCall continues a call that an earlier process, or an earlier Do, left open.
func (g *Gate) resumeCall(ctx context.Context, r *callRecord, parked func(bool)) (Outcome, error) {
	p := g.restore(r)
	p.onParked = parked
	return p.recoverPanics(ctx, func() (Outcome, error) {
		if r.State == stateAsked {
			return p.awaitApproval(ctx, r.Approval)
		}
		return p.resumeStarted(ctx)
	})
}

// restore makes the pipeline of a call from its record.
func (g *Gate) restore(r *callRecord) *pipeline {
	p := &pipeline{
		Gate: g, call: r.Call, class: r.Class, rawArgsHash: r.AskedHash, argsHash: r.ArgsHash, facts: r.Facts,
		frozen: r.Frozen, staged: r.Staged, record: r, judgement: r.Judged,
	}
	if e, ok := g.findTool(r.Call.Tool); ok {
		p.toolEntry = e
	}
	return p
}

package gate

import (
	"context"
	"errors"
	"fmt"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/wire"
)

// await is the second half of stage 7: it waits until the approval, or the one that replaced it, is decided.
func (p *pass) await(ctx context.Context, id string) (Outcome, error) {
	a, err := p.answer(ctx, id)
	switch {
	case errors.Is(err, ErrClosing):
		return Outcome{}, err
	case ctx.Err() != nil:
		return p.abandon(ctx)
	case err != nil:
		return Outcome{}, err
	case a.State != wire.ApprovalAllowed:
		return p.stored(ctx)
	}
	failpoint.Hit("answered")
	return p.allowed(ctx, a)
}

// answer blocks until the approval is decided, and follows it to its successor. parked is told about the wait.
func (p *pass) answer(ctx context.Context, id string) (*question, error) {
	waits := false
	defer func() {
		if waits {
			p.parked(false)
		}
	}()
	for {
		changed := p.g.watch(id)
		a, err := loadQuestion(context.WithoutCancel(ctx), p.g.d.DB.Read(), id)
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
			p.parked(true)
		}
		select {
		case <-changed:
		case <-p.g.closing:
			return nil, ErrClosing
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// stored is the outcome that a decision wrote: denied, expired or withdrawn.
func (p *pass) stored(ctx context.Context) (Outcome, error) {
	r, err := loadRecord(context.WithoutCancel(ctx), p.g.d.DB.Read(), p.c.ID)
	switch {
	case err != nil:
		return Outcome{}, err
	case r == nil || !r.ended():
		return Outcome{}, fmt.Errorf("call %s was decided but has not ended", p.c.ID)
	}
	p.discard(ctx)
	return r.outcome(), nil
}

// resume goes on with a call that a former process, or a former Do, left open.
func (g *Gate) resume(ctx context.Context, r *record, parked func(bool)) (Outcome, error) {
	p := g.former(r)
	p.parked = parked
	return p.safely(ctx, func() (Outcome, error) {
		if r.State == stateAsked {
			return p.await(ctx, r.Approval)
		}
		return p.recovered(ctx)
	})
}

// former is a call that is on record, where its record says it is.
func (g *Gate) former(r *record) *pass {
	p := &pass{g: g, c: r.Call, class: r.Class, argsHash: r.ArgsHash, facts: r.Facts, frozen: r.Frozen, staged: r.Staged, asWritten: r.AskedHash, rec: r, judged: r.Judged}
	if e, ok := g.find(r.Call.Tool); ok {
		p.e = e
	}
	return p
}

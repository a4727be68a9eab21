package gate

import (
	"context"
	"encoding/json"
	"errors"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
)

// deny ends a call that may not run.
func (p *pass) deny(ctx context.Context, no *refusal) (Outcome, error) {
	note := p.entry("call.denied", map[string]any{"stage": no.stage, "why": clip(no.why, maxNoted)})
	return p.finish(ctx, wire.ToolDenied, no.text, note)
}

// abandon ends a call whose run was stopped before the tool ran. While the process is closing it ends nothing: the
// call goes on in the next life.
func (p *pass) abandon(ctx context.Context) (Outcome, error) {
	if p.g.isClosing() || errors.Is(context.Cause(ctx), ErrClosing) {
		return Outcome{}, ErrClosing
	}
	note := p.entry("call.withdrawn", map[string]any{"why": "the run was stopped"})
	return p.finish(ctx, wire.ToolStopped, "The run was stopped before this was done.", note)
}

// finish ends a call of which nothing ran: record, receipt and approval in one Write.
func (p *pass) finish(ctx context.Context, s wire.ToolState, text string, note receipt.Entry) (Outcome, error) {
	r := p.record(s)
	r.Text, r.EndedAt = text, p.g.clock.now()
	if !json.Valid(r.Call.Args) {
		r.Call.Args, _ = json.Marshal(clip(string(r.Call.Args), maxNoted)) // a string always marshals
	}
	ended := r
	err := p.g.write(context.WithoutCancel(ctx), func(ch change) error {
		ended = r
		now, err := loadRecord(ch.ctx, ch.tx, r.Call.ID)
		switch {
		case err != nil:
			return err
		case now != nil && now.ended():
			ended = now // a decision has done it in the same moment
			return nil
		case now != nil:
			r.Approval = now.Approval // a refused decision may have asked anew
		}
		return ch.finish(p, r, note)
	})
	if err != nil {
		return Outcome{}, err
	}
	failpoint.Hit("ended")
	p.rec, p.notes = ended, nil
	p.g.tallies.ends(ended)
	p.discard(ctx)
	return ended.outcome(), nil
}

func (ch change) finish(p *pass, r *record, note receipt.Entry) error {
	if err := ch.receipts(append(append([]receipt.Entry{}, p.notes...), note)); err != nil {
		return err
	}
	if err := ch.settleApproval(r, r.State); err != nil {
		return err
	}
	return ch.record(r)
}

// settleApproval brings the newest approval of a call that ended without running to its end as well.
func (ch change) settleApproval(r *record, s wire.ToolState) error {
	if r.Approval == "" {
		return nil
	}
	a, err := loadQuestion(ch.ctx, ch.tx, r.Approval)
	if err != nil || a == nil {
		return err
	}
	switch {
	case a.State == wire.ApprovalPending:
		a.State, a.DecidedBy = wire.ApprovalWithdrawn, ch.g.self()
		return ch.question(a, "the run was stopped")
	case a.Execution == wire.ExecQueued && s == wire.ToolStopped:
		a.Execution = wire.ExecNone
		return ch.question(a, "allowed, but the run was stopped before it started")
	case a.Execution == wire.ExecQueued:
		a.Execution = wire.ExecFailed
		return ch.question(a, "allowed, but it could no longer be done")
	}
	return nil
}

// self is the origin of what agentd decides alone: expiry and withdrawal.
func (g *Gate) self() *wire.DecidedBy {
	return &wire.DecidedBy{Name: "agentd", Role: "agentd", Channel: "agentd", Time: g.clock.now()}
}

// discard drops what was staged for a call that will not run.
func (p *pass) discard(ctx context.Context) {
	s, ok := p.e.tool.(Stager)
	if !ok || p.c.ID == "" {
		return
	}
	err := guard(context.WithoutCancel(ctx), measureWithin, func(ctx context.Context) error { return s.Discard(ctx, p.c.ID) })
	if err != nil {
		p.g.d.Log.Warn("staged change not dropped", "tool", p.c.Tool, "call_id", p.c.ID, "error", err)
	}
}

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
func (p *pipeline) deny(ctx context.Context, no *refusal) (Outcome, error) {
	note := p.newReceipt("call.denied", map[string]any{"stage": no.stage, "why": clip(no.why, maxReceiptText)})
	return p.endUnrun(ctx, wire.ToolDenied, no.text, note)
}

// withdraw ends a call whose run was stopped before the tool ran. While the process is closing it ends nothing: the call
// continues in the next process.
func (p *pipeline) withdraw(ctx context.Context) (Outcome, error) {
	if p.isClosing() || errors.Is(context.Cause(ctx), ErrClosing) {
		return Outcome{}, ErrClosing
	}
	note := p.newReceipt("call.withdrawn", map[string]any{"why": "the run was stopped"})
	return p.endUnrun(ctx, wire.ToolStopped, "The run was stopped before this was done.", note)
}

// endUnrun ends a call of which nothing ran: record, receipt and approval in one Write.
func (p *pipeline) endUnrun(ctx context.Context, s wire.ToolState, text string, note receipt.Entry) (Outcome, error) {
	r := p.newRecord(s)
	r.Text, r.EndedAt = text, p.clock.now()
	if !json.Valid(r.Call.Args) {
		r.Call.Args, _ = json.Marshal(clip(string(r.Call.Args), maxReceiptText)) // a string always marshals
	}
	ended := r
	err := p.write(context.WithoutCancel(ctx), func(t txn) error {
		ended = r
		now, err := loadRecord(t.ctx, t.tx, r.Call.ID)
		switch {
		case err != nil:
			return err
		case now != nil && now.ended():
			ended = now // a decision did it at the same moment
			return nil
		case now != nil:
			r.Approval = now.Approval // a refused decision may have asked again
		}
		return t.saveEnd(p, r, note)
	})
	if err != nil {
		return Outcome{}, err
	}
	failpoint.Hit("ended")
	p.record, p.receipts = ended, nil
	p.countEnd(ended)
	p.discardStaged(ctx)
	return ended.outcome(), nil
}

func (t txn) saveEnd(p *pipeline, r *callRecord, note receipt.Entry) error {
	if err := t.appendReceipts(append(append([]receipt.Entry{}, p.receipts...), note)); err != nil {
		return err
	}
	if err := t.closeApproval(r, r.State); err != nil {
		return err
	}
	return t.saveRecord(r)
}

// closeApproval ends the newest approval of a call that ended before it ran to its end.
func (t txn) closeApproval(r *callRecord, s wire.ToolState) error {
	if r.Approval == "" {
		return nil
	}
	a, err := loadApproval(t.ctx, t.tx, r.Approval)
	if err != nil || a == nil {
		return err
	}
	switch {
	case a.State == wire.ApprovalPending:
		a.State, a.DecidedBy = wire.ApprovalWithdrawn, t.decidedByAgentd()
		return t.updateApproval(a, "the run was stopped")
	case a.Execution == wire.ExecQueued && s == wire.ToolStopped:
		a.Execution = wire.ExecNone
		return t.updateApproval(a, "allowed, but the run was stopped before it started")
	case a.Execution == wire.ExecQueued:
		a.Execution = wire.ExecFailed
		return t.updateApproval(a, "allowed, but it could no longer be done")
	}
	return nil
}

// decidedByAgentd is the origin of decisions that agentd makes alone: expiry and withdrawal.
func (g *Gate) decidedByAgentd() *wire.DecidedBy {
	return &wire.DecidedBy{Name: "agentd", Role: "agentd", Channel: "agentd", Time: g.clock.now()}
}

// discardStaged drops what was staged for a call that will not run.
func (p *pipeline) discardStaged(ctx context.Context) {
	s, ok := p.tool.(Stager)
	if !ok || p.call.ID == "" {
		return
	}
	err := bounded(context.WithoutCancel(ctx), measureWithin, func(ctx context.Context) error { return s.Discard(ctx, p.call.ID) })
	if err != nil {
		p.log.Warn("staged change not dropped", "tool", p.call.Tool, "call_id", p.call.ID, "error", err)
	}
}

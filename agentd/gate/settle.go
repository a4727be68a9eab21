package gate

import (
	"context"
	"errors"
	"time"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// settle records the outcome of a run. It has happened, so the record must be kept whatever comes: settle tries
// until it is durable or the process ends; then the next life finds the call started and treats it as a crash.
func (p *pass) settle(e ended) (Outcome, error) {
	r := p.record(wire.ToolDone)
	r.EndedAt = p.g.clock.now()
	p.describe(r, e)
	note := p.outcomeNote(r, e)
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := p.g.write(context.Background(), func(ch change) error { return ch.outcome(r, note) })
		if err == nil {
			failpoint.Hit("settled")
			p.rec = r
			p.g.tallies.ends(r)
			p.left(r.State)
			return r.outcome(), nil
		}
		p.g.d.Log.Error("outcome of a call not recorded yet", "call_id", p.c.ID, "error", err)
		select {
		case <-time.After(wait):
		case <-p.g.closing:
			return Outcome{}, errors.Join(ErrClosing, err)
		}
	}
}

// describe fills in how the call ended.
func (p *pass) describe(r *record, e ended) {
	var no *tool.Refused
	switch {
	case e.unknown:
		r.State, r.Text = wire.ToolUnknown, unknownText
	case e.err == nil:
		r.Result = p.trim(e.result)
		r.Text, r.Brought = r.Result.Text, p.brought
	case e.stopped:
		r.State, r.Text = wire.ToolStopped, "This was stopped while it ran."
	case errors.As(e.err, &no):
		r.State, r.Text = wire.ToolFailed, redact.Text(clip(no.Text, maxText))
	case errors.Is(e.err, errTimeout):
		r.State, r.Text = wire.ToolFailed, "The tool took too long and was stopped. Part of it may have been done."
	default:
		r.State, r.Text = wire.ToolFailed, "The tool failed for an internal reason."
		p.g.d.Log.Error("tool failed", "tool", p.c.Tool, "call_id", p.c.ID, "error", e.err)
	}
}

// outcome writes record, receipt and the approval's execution.
func (ch change) outcome(r *record, note receipt.Entry) error {
	if err := ch.receipts([]receipt.Entry{note}); err != nil {
		return err
	}
	if err := ch.record(r); err != nil {
		return err
	}
	if r.Approval == "" {
		return nil
	}
	a, err := loadQuestion(ch.ctx, ch.tx, r.Approval)
	if err != nil || a == nil || a.Execution != wire.ExecRunning {
		return err
	}
	a.Execution = execution(r.State)
	return ch.question(a, "")
}

func execution(s wire.ToolState) wire.Execution {
	switch s {
	case wire.ToolDone:
		return wire.ExecDone
	case wire.ToolUnknown:
		return wire.ExecUnknown
	}
	return wire.ExecFailed
}

// maxEffects bounds the effects that one receipt names.
const maxEffects = 200

// outcomeNote is the receipt of how a run ended.
func (p *pass) outcomeNote(r *record, e ended) receipt.Entry {
	body := map[string]any{"ms": r.EndedAt.Sub(r.StartedAt).Milliseconds()}
	if p.resumed {
		body["recovered"] = true
	}
	switch {
	case r.State == wire.ToolUnknown:
		body["why"] = clip(e.err.Error(), maxNoted)
		return p.entry("call.unknown", body)
	case r.State != wire.ToolDone:
		body["why"], body["stopped"] = clip(e.err.Error(), maxNoted), e.stopped
		return p.entry("call.failed", body)
	}
	res := r.Result
	body["summary"], body["bytes"], body["text_hash"] = res.Summary, len(e.result.Text), rawHash([]byte(e.result.Text))
	body["effects"] = res.Effects[:min(len(res.Effects), maxEffects)]
	body["facts"], body["child"], body["meta"] = res.Facts, res.Child, res.Meta
	if len(p.brought) > 0 {
		body["outside"], body["flagged"] = p.brought, p.flagged
	}
	if len(res.Effects) > maxEffects {
		body["effects_in_all"] = len(res.Effects)
	}
	if !receipt.Fits(body) {
		delete(body, "meta") // a tool's own fields must not keep its outcome off the record
		body["meta_refused"] = true
	}
	return p.entry("call.finished", body)
}

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

// recordOutcome records the outcome of a run. It has happened, so the record must be kept: recordOutcome tries until it is
// durable or the process ends. Then the next process finds the call started and treats it as a crash.
func (p *pipeline) recordOutcome(e runResult) (Outcome, error) {
	r := p.newRecord(wire.ToolDone)
	r.EndedAt = p.clock.now()
	p.fillOutcome(r, e)
	note := p.outcomeReceipt(r, e)
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := p.write(context.Background(), func(t txn) error { return t.saveOutcome(r, note) })
		if err == nil {
			failpoint.Hit("settled")
			p.record = r
			p.countEnd(r)
			p.countSent(r.State)
			return r.outcome(), nil
		}
		p.log.Error("outcome of a call not recorded yet", "call_id", p.call.ID, "error", err)
		select {
		case <-time.After(wait):
		case <-p.closing:
			return Outcome{}, errors.Join(ErrClosing, err)
		}
	}
}

// fillOutcome fills in how the call ended.
func (p *pipeline) fillOutcome(r *callRecord, e runResult) {
	var no *tool.Refused
	var open *tool.Unknown
	switch {
	case e.unknown, errors.As(e.err, &open):
		r.State, r.Text = wire.ToolUnknown, unknownText
	case e.err == nil:
		r.Result = p.prepareResult(e.result)
		r.Text, r.Brought = r.Result.Text, p.resultSources
	case e.stopped:
		r.State, r.Text = wire.ToolStopped, "This was stopped while it ran."
	case errors.As(e.err, &no):
		r.State, r.Text = wire.ToolFailed, redact.Text(clip(no.Text, maxText))
	case errors.Is(e.err, errTimeout):
		r.State, r.Text = wire.ToolFailed, "The tool took too long and was stopped. Part of it may have been done."
	default:
		r.State, r.Text = wire.ToolFailed, "The tool failed for an internal reason."
		p.log.Error("tool failed", "tool", p.call.Tool, "call_id", p.call.ID, "error", e.err)
	}
}

// saveOutcome writes record, receipt and the approval's execution.
func (t txn) saveOutcome(r *callRecord, note receipt.Entry) error {
	if err := t.appendReceipts([]receipt.Entry{note}); err != nil {
		return err
	}
	if err := t.saveRecord(r); err != nil {
		return err
	}
	if r.Approval == "" {
		return nil
	}
	a, err := loadApproval(t.ctx, t.tx, r.Approval)
	if err != nil || a == nil || a.Execution != wire.ExecRunning {
		return err
	}
	a.Execution = executionOf(r.State)
	return t.updateApproval(a, "")
}

func executionOf(s wire.ToolState) wire.Execution {
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

// outcomeReceipt is the receipt of how a run ended.
func (p *pipeline) outcomeReceipt(r *callRecord, e runResult) receipt.Entry {
	body := map[string]any{"ms": r.EndedAt.Sub(r.StartedAt).Milliseconds()}
	if p.resumed {
		body["recovered"] = true
	}
	switch {
	case r.State == wire.ToolUnknown:
		body["why"] = clip(e.err.Error(), maxReceiptText)
		return p.newReceipt("call.unknown", body)
	case r.State != wire.ToolDone:
		body["why"], body["stopped"] = clip(e.err.Error(), maxReceiptText), e.stopped
		return p.newReceipt("call.failed", body)
	}
	res := r.Result
	body["summary"], body["bytes"], body["text_hash"] = res.Summary, len(e.result.Text), rawHash([]byte(e.result.Text))
	body["effects"] = res.Effects[:min(len(res.Effects), maxEffects)]
	body["facts"], body["child"], body["meta"] = res.Facts, res.Child, res.Meta
	if len(p.resultSources) > 0 {
		body["outside"], body["flagged"] = p.resultSources, p.attackPatterns
	}
	if len(res.Effects) > maxEffects {
		body["effects_in_all"] = len(res.Effects)
	}
	if !receipt.Fits(body) {
		delete(body, "meta") // a tool's own fields must not keep its outcome off the record
		body["meta_refused"] = true
	}
	return p.newReceipt("call.finished", body)
}

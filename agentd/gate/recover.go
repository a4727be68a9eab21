package gate

import (
	"cmp"
	"context"
	"errors"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/wire"
)

const unknownText = "It is not known whether this was done: the server was interrupted in the middle of it. " +
	"Do not repeat it; tell the owner and let them check."

// Conditions for calls that have not ended, and for those among them that had started. They repeat the condition of the index
// word for word: otherwise SQLite does not use it and reads every call there ever was.
const (
	whereNotEnded = "state IN ('" + string(stateAsked) + "', '" + string(stateStarted) + "')"
	whereStarted  = whereNotEnded + " AND state = '" + string(stateStarted) + "'"
)

// Recover looks at what an earlier process left. Calls that had started and may not be repeated end as unknown, and the owner
// is told; all others wait for Do. Add every tool first.
func (g *Gate) Recover(ctx context.Context) error {
	open, err := recordsWhere(ctx, g.db.Read(), whereStarted)
	if err != nil {
		return err
	}
	for _, r := range open {
		e, ok := g.findTool(r.Call.Tool)
		if ok && e.def.Idempotent {
			continue
		}
		if _, err := g.restore(r).endUnknown(ctx); err != nil {
			return err
		}
	}
	g.purgeOutputs(ctx)
	return g.expireDue(ctx)
}

// EndLeft ends calls that nobody will ask for again because their maker is gone: it withdraws those that wait, and ends those
// that had started as unknown. It leaves calls on their way in this process. A call that cannot be ended does not keep others
// open. ErrClosing says that nothing else kept one open.
func (g *Gate) EndLeft(ctx context.Context, left func(Call) bool) error {
	open, err := recordsWhere(ctx, g.db.Read(), whereNotEnded)
	if err != nil {
		return err
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	var failed []error
	var closing error
	for _, r := range open {
		if !left(r.Call) {
			continue
		}
		if err := g.endAbandoned(stopped, r.Call.ID); errors.Is(err, ErrClosing) {
			closing = err
		} else {
			failed = append(failed, err)
		}
	}
	return cmp.Or(errors.Join(failed...), closing)
}

// endAbandoned ends a call as it stands now: it may have ended since it was found.
func (g *Gate) endAbandoned(stopped context.Context, id string) error {
	f, mine, err := g.joinFlight(id)
	if err != nil || !mine {
		return err
	}
	g.runFlight(id, f, func() (Outcome, error) {
		r, err := loadRecord(context.WithoutCancel(stopped), g.db.Read(), id)
		switch {
		case err != nil:
			return Outcome{}, err
		case r == nil:
			return Outcome{}, errors.New("it is not on record anymore")
		case r.ended():
			return r.outcome(), nil
		}
		return g.resumeCall(stopped, r, func(bool) {})
	})
	return f.err
}

// endUnknown ends a call of which nobody can tell whether it happened, even when nobody waits for it. It counts as done.
func (p *pipeline) endUnknown(ctx context.Context) (Outcome, error) {
	g, r := p.Gate, p.record
	r.State, r.Text, r.EndedAt = wire.ToolUnknown, unknownText, g.clock.now()
	failpoint.Hit("unknown")
	err := g.write(context.WithoutCancel(ctx), func(t txn) error {
		if err := t.saveOutcome(r, receiptOf(r, "call.unknown", map[string]any{"why": "the process ended while the tool ran"})); err != nil {
			return err
		}
		return t.sendAlert(wire.Alert{
			Kind: "call_unknown", Severity: "medium", Time: g.clock.now(),
			Text: "The server was interrupted while " + clip(r.Call.Tool, 64) + " ran for " + clip(r.Call.Agent, 64) +
				". It is not known whether it was done. It will not be repeated.",
		})
	})
	if err != nil {
		return Outcome{}, err
	}
	g.countEnd(r)
	p.countSent(r.State)
	return r.outcome(), nil
}

func (t txn) sendAlert(a wire.Alert) error {
	return t.deps.Outbox.Put(t.ctx, t.tx, wire.TypeAlert, a)
}

// resumeStarted continues a call whose start is on record but not its end. It runs a tool again only if the tool does nothing
// new for a call id it has seen.
func (p *pipeline) resumeStarted(ctx context.Context) (Outcome, error) {
	if p.tool == nil || !p.def.Idempotent {
		return p.endUnknown(ctx)
	}
	if ctx.Err() != nil {
		return p.endStarted(ctx)
	}
	p.resumed = true
	if err := p.renewLeases(ctx); err != nil {
		return p.endWithoutLeases(ctx, err)
	}
	return p.runTool(ctx)
}

// endStarted ends a call that started in an earlier process and whose run was stopped meanwhile. An idempotent tool could run
// again, but the person wants it stopped.
func (p *pipeline) endStarted(ctx context.Context) (Outcome, error) {
	if p.isClosing() {
		return Outcome{}, ErrClosing
	}
	return p.endUnknown(ctx)
}

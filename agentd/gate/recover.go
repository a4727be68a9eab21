package gate

import (
	"cmp"
	"context"
	"errors"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/wire"
)

const unknownText = "It is not known whether this was done: the server was interrupted in the middle of it. Do not repeat it; tell the owner and let them check."

// What has not ended, in the very words of the index on it: SQLite uses that one for nothing else, and would go through
// every call there ever was. Among those are the ones that had started.
const (
	whereNotEnded = "state IN ('" + string(stateAsked) + "', '" + string(stateStarted) + "')"
	whereStarted  = whereNotEnded + " AND state = '" + string(stateStarted) + "'"
)

// Recover looks at what a former process left. Calls that had started and may not be repeated end as unknown, and
// the owner is told; all others wait for Do. Add every tool first.
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

// EndLeft ends calls that nobody will ask for again, as whoever made them is gone: what waits is taken back, and of what
// had started it is said that nobody knows. A call that is on its way in this process is not touched. One that cannot be
// ended keeps none of the others open. ErrClosing says that nothing else kept one open.
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

// endAbandoned ends a call as it stands now: it may have ended since it was looked for.
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

// endUnknown ends a call of which nobody can tell whether it happened, also when nobody waits for it. It counts as if it had.
func (p *pipeline) endUnknown(ctx context.Context) (Outcome, error) {
	g, r := p.Gate, p.record
	r.State, r.Text, r.EndedAt = wire.ToolUnknown, unknownText, g.clock.now()
	failpoint.Hit("unknown")
	err := g.write(context.WithoutCancel(ctx), func(t txn) error {
		if err := t.saveOutcome(r, receiptOf(r, "call.unknown", map[string]any{"why": "the process ended while the tool ran"})); err != nil {
			return err
		}
		return t.sendAlert(wire.Alert{Kind: "call_unknown", Severity: "medium", Text: "The server was interrupted while " + clip(r.Call.Tool, 64) + " ran for " + clip(r.Call.Agent, 64) + ". It is not known whether it was done. It will not be repeated.", Time: g.clock.now()})
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

// resumeStarted goes on with a call whose intent is on record and whose end is not. Only a tool that does nothing new
// for a call id it has seen is run again.
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

// endStarted ends a call that had started in a former process when its run was stopped meanwhile: an idempotent
// tool could be asked again, but the person wants it stopped.
func (p *pipeline) endStarted(ctx context.Context) (Outcome, error) {
	if p.isClosing() {
		return Outcome{}, ErrClosing
	}
	return p.endUnknown(ctx)
}

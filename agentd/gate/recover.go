package gate

import (
	"context"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/wire"
)

const unknownText = "It is not known whether this was done: the server was interrupted in the middle of it. Do not repeat it; tell the owner and let them check."

// What has not ended, in the very words of the index on it: SQLite uses that one for nothing else, and would go through
// every call there ever was. Among those are the ones that had started.
const (
	whereOpen    = "state IN ('" + string(stateAsked) + "', '" + string(stateStarted) + "')"
	whereStarted = whereOpen + " AND state = '" + string(stateStarted) + "'"
)

// Recover looks at what a former process left. Calls that had started and may not be repeated end as unknown, and
// the owner is told; all others wait for Do. Add every tool first.
func (g *Gate) Recover(ctx context.Context) error {
	open, err := recordsWhere(ctx, g.d.DB.Read(), whereStarted)
	if err != nil {
		return err
	}
	for _, r := range open {
		e, ok := g.find(r.Call.Tool)
		if ok && e.def.Idempotent {
			continue
		}
		if err := g.unknown(ctx, r); err != nil {
			return err
		}
	}
	g.purge(ctx)
	return g.sweep(ctx)
}

// EndLeft ends calls that nobody will ask for again, as whoever made them is gone: what waits is taken back, and of what
// had started it is said that nobody knows. A call that is on its way in this process is not touched.
func (g *Gate) EndLeft(ctx context.Context, left func(Call) bool) error {
	open, err := recordsWhere(ctx, g.d.DB.Read(), whereOpen)
	if err != nil {
		return err
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	for _, r := range open {
		if !left(r.Call) {
			continue
		}
		f, mine, err := g.join(r.Call.ID)
		if err != nil {
			return err
		}
		if !mine {
			continue
		}
		g.fly(r.Call.ID, f, func() (Outcome, error) { return g.resume(stopped, r, func(bool) {}) })
		if f.err != nil {
			return f.err
		}
	}
	return nil
}

// unknown ends a call of which nobody can tell whether it happened.
func (g *Gate) unknown(ctx context.Context, r *record) error {
	r.State, r.Text, r.EndedAt = wire.ToolUnknown, unknownText, g.clock.now()
	failpoint.Hit("unknown")
	return g.write(ctx, func(ch change) error {
		if err := ch.outcome(r, entryOf(r, "call.unknown", map[string]any{"why": "the process ended while the tool ran"})); err != nil {
			return err
		}
		return ch.alert(wire.Alert{Kind: "call_unknown", Severity: "medium", Text: "The server was interrupted while " + clip(r.Call.Tool, 64) + " ran for " + clip(r.Call.Agent, 64) + ". It is not known whether it was done. It will not be repeated.", Time: g.clock.now()})
	})
}

func (ch change) alert(a wire.Alert) error {
	return ch.g.d.Outbox.Put(ch.ctx, ch.tx, wire.TypeAlert, a)
}

// recovered goes on with a call whose intent is on record and whose end is not. Only a tool that does nothing new
// for a call id it has seen is run again.
func (p *pass) recovered(ctx context.Context) (Outcome, error) {
	if p.e.tool == nil || !p.e.def.Idempotent {
		if err := p.g.unknown(ctx, p.rec); err != nil {
			return Outcome{}, err
		}
		return p.rec.outcome(), nil
	}
	if ctx.Err() != nil {
		return p.abandonStarted(ctx)
	}
	p.resumed = true
	if err := p.lendAgain(ctx); err != nil {
		return p.notLent(err)
	}
	return p.run(ctx)
}

// abandonStarted ends a call that had started in a former process when its run was stopped meanwhile: an idempotent
// tool could be asked again, but the person wants it stopped.
func (p *pass) abandonStarted(ctx context.Context) (Outcome, error) {
	if p.g.isClosing() {
		return Outcome{}, ErrClosing
	}
	if err := p.g.unknown(context.WithoutCancel(ctx), p.rec); err != nil {
		return Outcome{}, err
	}
	return p.rec.outcome(), nil
}

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
		if _, err := g.former(r).unknown(ctx); err != nil {
			return err
		}
	}
	g.purge(ctx)
	return g.sweep(ctx)
}

// EndLeft ends calls that nobody will ask for again, as whoever made them is gone: what waits is taken back, and of what
// had started it is said that nobody knows. A call that is on its way in this process is not touched. One that cannot be
// ended keeps none of the others open. ErrClosing says that nothing else kept one open.
func (g *Gate) EndLeft(ctx context.Context, left func(Call) bool) error {
	open, err := recordsWhere(ctx, g.d.DB.Read(), whereOpen)
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
		if err := g.endLeft(stopped, r.Call.ID); errors.Is(err, ErrClosing) {
			closing = err
		} else {
			failed = append(failed, err)
		}
	}
	return cmp.Or(errors.Join(failed...), closing)
}

// endLeft ends a call as it stands now: it may have ended since it was looked for.
func (g *Gate) endLeft(stopped context.Context, id string) error {
	f, mine, err := g.join(id)
	if err != nil || !mine {
		return err
	}
	g.fly(id, f, func() (Outcome, error) {
		r, err := loadRecord(context.WithoutCancel(stopped), g.d.DB.Read(), id)
		switch {
		case err != nil:
			return Outcome{}, err
		case r == nil:
			return Outcome{}, errors.New("it is not on record anymore")
		case r.ended():
			return r.outcome(), nil
		}
		return g.resume(stopped, r, func(bool) {})
	})
	return f.err
}

// unknown ends a call of which nobody can tell whether it happened, also when nobody waits for it. It counts as if it had.
func (p *pass) unknown(ctx context.Context) (Outcome, error) {
	g, r := p.g, p.rec
	r.State, r.Text, r.EndedAt = wire.ToolUnknown, unknownText, g.clock.now()
	failpoint.Hit("unknown")
	err := g.write(context.WithoutCancel(ctx), func(ch change) error {
		if err := ch.outcome(r, entryOf(r, "call.unknown", map[string]any{"why": "the process ended while the tool ran"})); err != nil {
			return err
		}
		return ch.alert(wire.Alert{Kind: "call_unknown", Severity: "medium", Text: "The server was interrupted while " + clip(r.Call.Tool, 64) + " ran for " + clip(r.Call.Agent, 64) + ". It is not known whether it was done. It will not be repeated.", Time: g.clock.now()})
	})
	if err != nil {
		return Outcome{}, err
	}
	g.tallies.ends(r)
	p.left(r.State)
	return r.outcome(), nil
}

func (ch change) alert(a wire.Alert) error {
	return ch.g.d.Outbox.Put(ch.ctx, ch.tx, wire.TypeAlert, a)
}

// recovered goes on with a call whose intent is on record and whose end is not. Only a tool that does nothing new
// for a call id it has seen is run again.
func (p *pass) recovered(ctx context.Context) (Outcome, error) {
	if p.e.tool == nil || !p.e.def.Idempotent {
		return p.unknown(ctx)
	}
	if ctx.Err() != nil {
		return p.abandonStarted(ctx)
	}
	p.resumed = true
	if err := p.lendAgain(ctx); err != nil {
		return p.notLent(ctx, err)
	}
	return p.run(ctx)
}

// abandonStarted ends a call that had started in a former process when its run was stopped meanwhile: an idempotent
// tool could be asked again, but the person wants it stopped.
func (p *pass) abandonStarted(ctx context.Context) (Outcome, error) {
	if p.g.isClosing() {
		return Outcome{}, ErrClosing
	}
	return p.unknown(ctx)
}

package chat

import (
	"context"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/turn"
	"gatehouse/views/ui"
)

// turnsOf draws the turns of a conversation, and says from where on the stream goes on.
func (p *Pages) turnsOf(c echo.Context, asked []wire.Turn) ([]ui.Turn, position) {
	ctx, of := web.Context(c), frame.Customer(c)
	names := func(agent string) ui.Agent { return p.Agents.Agent(ctx, of, agent) }
	at := position{runs: map[string]int64{}}
	out := make([]ui.Turn, 0, 2*len(asked))
	for i, a := range asked {
		t := p.turnOf(ctx, of, a, i == len(asked)-1)
		out = append(out, personTurn(ctx, a, reader(c)), t.Look(ctx, names))
		at.newest = a.Run.ID // as the server has them: a message may overtake one that was sent sooner
		if t.Open() {
			at.works = at.works || len(at.runs) == 0 && t.State() != wire.RunParked
			at.runs[a.Run.ID] = t.Last()
		}
	}
	return out, at
}

// turnOf makes one turn: an open one from its events, so that the stream goes on exactly where the page ends, any
// other from the record. The newest shows its receipts, the others fetch them when asked.
func (p *Pages) turnOf(ctx context.Context, of account.CustomerID, a wire.Turn, newest bool) *turn.Turn {
	if a.Run.State.Open() {
		if t := p.fromEvents(ctx, of, a); t != nil {
			return t
		}
	}
	t := turn.Past(a.Run, askedAt(a.Run.ID))
	p.applyDecisions(ctx, of, t)
	if newest && len(a.Run.Calls) > 0 && !t.Open() {
		if rs, err := p.Chat.Receipts(ctx, of, a.Run.ID); err == nil {
			t.Prove(rs)
		}
	}
	return t
}

// fromEvents makes the turn of an open run; nil when the server does not give its events in time.
func (p *Pages) fromEvents(ctx context.Context, of account.CustomerID, a wire.Turn) *turn.Turn {
	ctx, cancel := context.WithTimeout(ctx, eventsWait)
	defer cancel()
	st, err := p.Chat.Events(ctx, of, a.Run.ID, 0)
	if err != nil {
		return nil
	}
	t := turn.New(a.Run.ID, a.Run.Agent, askedAt(a.Run.ID), 0).In(a.Run.SessionID)
	for t.Last() < a.Last {
		ev, ok := <-st.C
		if !ok {
			return nil
		}
		t.Take(ev)
	}
	p.applyDecisions(ctx, of, t)
	return t
}

// applyDecisions adds what was decided and has not reached the server yet.
func (p *Pages) applyDecisions(ctx context.Context, of account.CustomerID, t *turn.Turn) {
	for _, id := range t.Waiting() {
		if it, err := p.Inbox.Get(ctx, of, id); err == nil && it.State != wire.ApprovalPending {
			t.Told(it.Approval)
		}
	}
}

package turn

import (
	"context"
	"io"

	"github.com/a-h/templ"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/inbox/card"
	"gatehouse/views/ui"
	"gatehouse/views/ui/hx"

	cards "gatehouse/views/inbox"
)

// ask is one approval as its server reports it, and as the hub told it when a person decided: the hub knows first, the
// server knows last.
type ask struct {
	server *wire.Approval
	hub    *wire.Approval
	dirty  bool // changed since the last look
}

// approval takes over a question of a run, or how it stands now.
func (t *Turn) approval(d wire.ApprovalData) {
	if !plain(d.ID) {
		return
	}
	t.begins()
	a := t.asks[d.ID]
	if a == nil {
		a = &ask{hub: t.told[d.ID]}
		t.asks[d.ID] = a
		w := t.workOf(d.Approval.RunID, d.Agent)
		w.items = append(w.items, item{ask: a})
	}
	a.server, a.dirty, t.foot = &d.Approval, true, true
}

// Told takes over what the hub knows of an approval, which may be a decision that the server has not applied yet. It
// never turns back what the server reports, and adds nothing that the run does not ask itself.
func (t *Turn) Told(a wire.Approval) {
	t.told[a.ID] = &a
	if known := t.asks[a.ID]; known != nil {
		known.hub, known.dirty, t.foot = &a, true, true
	} else if plain(a.ID) {
		t.early = append(t.early, a.ID)
	}
}

// flushEarly takes back the questions of a page whose server is away, as far as the hub knows that they were decided:
// without what they asked, which comes with the server.
func (t *Turn) flushEarly(names Names) []Patch {
	if !t.away {
		return nil
	}
	var out []Patch
	for _, id := range t.early {
		if a := t.told[id]; t.asks[id] == nil && a.State != wire.ApprovalPending {
			out = append(out, Patch{"#" + ui.ApprovalID(id), hx.OuterMorph, drawn(*a, names)})
		}
	}
	t.early = nil
	return out
}

// retell marks the questions of w that the hub told of, and the work around them: the page may show them as they stood
// before.
func (t *Turn) retell(w *work) (any bool) {
	for _, it := range w.items {
		switch {
		case it.ask != nil && it.ask.hub != nil:
			it.ask.dirty, t.foot, any = true, true, true
		case it.call != nil && it.call.child != nil && t.retell(it.call.child):
			it.call.shown, any = "", true
		}
	}
	return any
}

// now is what the page shows of a.
func (a *ask) now() wire.Approval {
	if a.hub == nil || !card.Further(a.hub, a.server) {
		return *a.server
	}
	return card.WithContents(*a.hub, *a.server)
}

// drawn is a question as it stands in a conversation.
func drawn(a wire.Approval, names Names) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return cards.Card(card.Of(ctx, a, card.Look{Agent: names}), ui.Inline).Render(ctx, w)
	})
}

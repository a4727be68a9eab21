package turn

import (
	"context"

	"github.com/a-h/templ"

	"gatehouse/agentd/wire"
	"gatehouse/views/portal/chat"
	"gatehouse/views/ui"
	"gatehouse/views/ui/hx"
)

// Patch is one change of the page: View goes to Target in the given style.
type Patch struct {
	Target string // CSS selector
	Style  hx.Style
	View   templ.Component
}

// Component wraps the patch for the stream.
func (p Patch) Component() templ.Component { return chat.Push(p.Target, p.Style, p.View) }

// Names finds how an agent is called.
type Names func(agent string) ui.Agent

// Flush gives the changes since the last look, to be sent as one message: every target stands on the page before the
// message, so the order of patches does not matter. No patches: nothing changed.
func (t *Turn) Flush(ctx context.Context, names Names) []Patch {
	if t.last <= t.have {
		if !t.Current() {
			return t.flushEarly(names) // still taking what the page shows already
		}
		t.catchUp()
	}
	if t.whole {
		t.settle()
		return []Patch{{"#" + ui.TurnID(t.root), t.replacing(), ui.ChatTurn(t.Look(ctx, names))}}
	}
	out := t.flushWork(t.runs[t.root], names)
	if t.foot {
		out = append(out, Patch{"#" + ui.FootID(t.root), t.replacing(), ui.TurnFoot(t.Look(ctx, names))})
	}
	t.settle()
	return out
}

// replacing is how something is put in the place of what stood there. A morph keeps panels as the reader left them;
// evidence that speaks against the answer must stand open.
func (t *Turn) replacing() hx.Style {
	if t.final != nil && alarming(t.final.Verdict) {
		return hx.OuterHTML
	}
	return hx.OuterMorph
}

func alarming(v wire.Verdict) bool {
	return v == wire.VerdictNotProven || v == wire.VerdictContradicted
}

// flushWork gives the changes of one run and of the work it handed on: what is new at the end in one piece, the rest
// where it stands.
func (t *Turn) flushWork(w *work, names Names) []Patch {
	var out []Patch
	var fresh []templ.Component
	at := 0
	for i, it := range w.items {
		n := t.pieces(w, i)
		if at+n > w.parts {
			fresh = append(fresh, t.parts(w, i, names)[max(w.parts-at, 0):]...)
		}
		if at < w.parts && it.text == nil {
			out = append(out, t.flushItem(it, names)...)
		}
		at += n
	}
	if len(fresh) > 0 {
		out = append(out, Patch{"#" + ui.FlowID(w.run), hx.Append, templ.Join(fresh...)})
	}
	if tail := t.tailOf(w); tail != w.tail {
		out = append(out, Patch{"#" + ui.TailID(w.run), hx.InnerHTML, templ.Raw(tail)})
	}
	return out
}

// flushItem gives the changes of a call or a question that is on the page.
func (t *Turn) flushItem(it item, names Names) []Patch {
	if it.ask != nil {
		if !it.ask.dirty {
			return nil
		}
		return []Patch{{"#" + ui.ApprovalID(it.ask.server.ID), hx.OuterMorph, drawn(it.ask.now(), names)}}
	}
	c := it.call
	switch {
	case c.child != nil && !c.hop:
		return []Patch{{"#" + ui.ChipID(c.id), hx.OuterHTML, t.call(c, names)}}
	case c.child != nil && c.shown != t.childState(c):
		return []Patch{{"#" + ui.HopID(c.child.run), hx.OuterMorph, t.call(c, names)}}
	case c.child != nil:
		return t.flushWork(c.child, names)
	case c.dirty && c.awaits() != c.waited:
		return []Patch{{"#" + ui.ChipID(c.id), hx.OuterHTML, t.call(c, names)}}
	case c.dirty:
		return []Patch{{"#" + ui.ChipID(c.id), hx.OuterMorph, t.call(c, names)}}
	}
	return nil
}

// flow is everything that a run did, piece by piece.
func (t *Turn) flow(w *work, names Names) []templ.Component {
	var out []templ.Component
	for i := range w.items {
		out = append(out, t.parts(w, i, names)...)
	}
	return out
}

// parts are the pieces of item i; there are as many as pieces says.
func (t *Turn) parts(w *work, i int, names Names) []templ.Component {
	it := w.items[i]
	switch {
	case it.call != nil:
		return []templ.Component{t.call(it.call, names)}
	case it.ask != nil:
		return []templ.Component{drawn(it.ask.now(), names)}
	}
	out := make([]templ.Component, 0, len(it.text.done)+1)
	for _, html := range it.text.done {
		out = append(out, ui.Prose(html))
	}
	if t.closed(w, i) && it.text.rest() != "" {
		out = append(out, ui.Prose(it.text.rest()))
	}
	return out
}

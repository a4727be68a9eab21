package turn

import (
	"github.com/a-h/templ"

	"gatehouse/views/ui/hx"

	view "gatehouse/views/portal"
)

// Patch is one change of the page: View goes to Target in the given style.
type Patch struct {
	Target string // CSS selector
	Style  hx.Style
	View   templ.Component
}

// Component wraps the patch for htmx.
func (p Patch) Component() templ.Component { return view.Push(p.Target, p.Style, p.View) }

// Flush gives the changes since the last look, to be sent as one message: every target stands on the page before the
// message, so the order of patches does not matter. No patches: nothing changed.
func (t *Turn) Flush(names Names) []Patch {
	if t.dirt.all {
		t.dirt.all = false
		t.sent()
		return []Patch{{Target: "#" + view.AnswerID(t.root), Style: t.replacing(), View: view.Answer(t.Answer(names))}}
	}
	var out []Patch
	if t.dirt.head {
		out = append(out, patch(view.HeadID(t.root), hx.OuterMorph, view.AnswerHead(t.Answer(names))))
	}
	out = append(out, t.flushWork(t.runs[t.root], names)...)
	out = append(out, t.flushEvidence(names)...)
	t.sent()
	return out
}

// Whole makes the next Flush send everything.
func (t *Turn) Whole() { t.dirt.all = true }

// replacing is how the whole bubble is put in place. A morph keeps panels as the reader left them; evidence that
// speaks against the answer must stand open.
func (t *Turn) replacing() hx.Style {
	if t.alarming() {
		return hx.OuterHTML
	}
	return hx.OuterMorph
}

func (t *Turn) alarming() bool { return t.final != nil && view.Alarming(string(t.final.Verdict)) }

func patch(id string, s hx.Style, c templ.Component) Patch {
	return Patch{Target: "#" + id, Style: s, View: c}
}

// flushWork gives the changes of one run and of the runs it handed on: new items in one piece at the end, old ones
// where they stand.
func (t *Turn) flushWork(w *work, names Names) []Patch {
	var fresh view.WorkProps
	var out []Patch
	for _, it := range w.items {
		if it.fresh() {
			fresh.Items = append(fresh.Items, t.item(it, names))
			continue
		}
		if it.text != nil {
			out = append(out, it.text.flush()...)
			continue
		}
		out = append(out, t.flushCall(it.call, names)...)
	}
	if len(fresh.Items) > 0 {
		out = append(out, patch(view.WorkID(w.run), hx.Append, view.Items(fresh.Items)))
	}
	return out
}

func (it item) fresh() bool {
	if it.text != nil {
		return it.text.fresh
	}
	return it.call.fresh
}

func (x *text) flush() []Patch {
	if x.redo {
		return []Patch{patch(x.id(), hx.OuterHTML, view.Text(x.props()))}
	}
	var out []Patch
	if x.sent < len(x.done) {
		out = append(out, patch(view.DoneID(x.id()), hx.Append, view.Blocks(x.done[x.sent:])))
	}
	if x.moved {
		out = append(out, patch(view.TailID(x.id()), hx.InnerMorph, view.Tail(x.props())))
	}
	return out
}

func (t *Turn) flushCall(c *call, names Names) []Patch {
	p := t.call(c, names)
	var out []Patch
	if c.chip {
		out = append(out, patch(view.ChipID(p.ID), hx.OuterMorph, view.Chip(p)))
	}
	if c.asked {
		out = append(out, patch(view.AskID(p.ID), hx.InnerMorph, view.Asks(p.Asks)))
	}
	if c.given {
		return append(out, patch(view.HandID(p.ID), hx.InnerMorph, view.Hand(p)))
	}
	if c.child != nil {
		out = append(out, t.flushWork(c.child, names)...)
	}
	return out
}

func (t *Turn) flushEvidence(names Names) []Patch {
	a := t.Answer(names)
	if t.dirt.end {
		style := hx.OuterMorph
		if t.alarming() {
			style = hx.OuterHTML
		}
		return []Patch{
			patch(view.EndID(t.root), hx.OuterMorph, view.End(a)),
			patch(view.EvidenceID(t.root), style, view.Evidence(a)),
		}
	}
	if t.dirt.receipts == len(t.receipts) {
		return nil
	}
	return []Patch{
		patch(view.EvidenceSumID(t.root), hx.OuterMorph, view.EvidenceSum(a)),
		patch(view.ReceiptsID(t.root), hx.Append, view.Receipts(a.Evidence.Receipts[t.dirt.receipts:])),
	}
}

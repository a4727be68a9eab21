package turn

// settle notes that the page shows everything.
func (t *Turn) settle() {
	t.whole, t.foot = false, false
	t.shown(t.runs[t.root])
}

// shown notes that the page shows all of w and of the work below it.
func (t *Turn) shown(w *work) {
	w.parts, w.tail = t.count(w), t.tailOf(w)
	for _, it := range w.items {
		switch {
		case it.ask != nil:
			it.ask.dirty = false
		case it.call != nil:
			it.call.dirty, it.call.hop, it.call.waited = false, it.call.child != nil, it.call.awaits()
			if it.call.child != nil {
				it.call.shown = t.childState(it.call)
				t.shown(it.call.child)
			}
		}
	}
}

// count says of how many pieces the flow of w consists.
func (t *Turn) count(w *work) int {
	n := 0
	for i := range w.items {
		n += t.pieces(w, i)
	}
	return n
}

// pieces says of how many pieces item i of w consists: a text of its blocks, anything else of one.
func (t *Turn) pieces(w *work, i int) int {
	x := w.items[i].text
	if x == nil {
		return 1
	}
	if t.closed(w, i) && x.rest() != "" {
		return len(x.done) + 1
	}
	return len(x.done)
}

// closed says whether nothing is added to text i of w any more: something follows it, or the turn has ended.
func (t *Turn) closed(w *work, i int) bool { return i < len(w.items)-1 || !t.Open() }

// tailOf is the open block at the end of w, "" when there is none.
func (t *Turn) tailOf(w *work) string {
	if x := w.open(); x != nil && !t.closed(w, len(w.items)-1) {
		return x.rest()
	}
	return ""
}

package turn

import (
	"slices"
	"strings"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/markdown"
)

// maxText is how much of one piece of writing a bubble shows, in bytes; the run page has the rest.
const maxText = 512 << 10

// text is what one model call wrote, cut into finished blocks and the open tail.
type text struct {
	step    int
	attempt int
	raw     strings.Builder
	split   markdown.Splitter
	done    []string // rendered blocks, in order; they never change
	tail    string   // the open block, rendered
	stale   bool     // tail is older than split
}

// delta adds to what a run writes.
func (t *Turn) delta(d wire.DeltaData) {
	t.begins()
	w := t.workOf(d.RunID, d.Agent)
	if x := t.textOf(w, d.Step, d.Attempt); x != nil {
		x.write(d.Text)
	}
}

// textOf finds the open text of a model call, or opens one. Text of an older attempt is void: it gives nil for it, and
// takes back what older attempts wrote when a newer one begins.
func (t *Turn) textOf(w *work, step, attempt int) *text {
	for _, it := range w.items {
		if it.text == nil || it.text.step != step {
			continue
		}
		if it.text.attempt > attempt {
			return nil
		}
		if it.text.attempt < attempt {
			t.void(w, step, attempt)
			break
		}
	}
	if x := w.open(); x != nil && x.step == step {
		return x
	}
	x := &text{step: step, attempt: attempt}
	w.items = append(w.items, item{text: x})
	return x
}

// void takes back what a model call wrote before it was repeated.
func (t *Turn) void(w *work, step, attempt int) {
	w.items = slices.DeleteFunc(w.items, func(it item) bool {
		return it.text != nil && it.text.step == step && it.text.attempt < attempt
	})
	t.whole = true
}

// open is the text at the end of a run's work, nil when something else stands there.
func (w *work) open() *text {
	if len(w.items) == 0 {
		return nil
	}
	return w.items[len(w.items)-1].text
}

func (x *text) write(piece string) {
	if room := maxText - x.raw.Len(); len(piece) > room {
		piece = strings.ToValidUTF8(piece[:max(room, 0)], "")
	}
	x.raw.WriteString(piece)
	for _, block := range x.split.Write(piece) {
		if html := markdown.HTML(block); strings.TrimSpace(html) != "" {
			x.done = append(x.done, html)
		}
	}
	x.stale = true
}

// open block, rendered at most once for each look.
func (x *text) rest() string {
	if x.stale {
		x.tail, x.stale = strings.TrimSpace(markdown.HTML(x.split.Tail())), false
	}
	return x.tail
}

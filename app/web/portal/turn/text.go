package turn

import (
	"strings"

	"gatehouse/app/web/markdown"
)

// maxText is how much of one piece of writing a bubble shows, in bytes; the run page has the rest.
const maxText = 512 << 10

// text is what one model call wrote, cut into finished blocks and the open tail.
type text struct {
	run     string
	step    int
	attempt int
	raw     strings.Builder
	split   markdown.Splitter
	done    []string // rendered, in order; never changes
	cut     bool     // longer than a bubble shows

	fresh bool // not on the page yet
	sent  int  // blocks of done that are on the page
	moved bool // the tail changed since the last look
	redo  bool // done itself was replaced
}

// write adds a piece. Text of an older attempt is void, that of a newer one replaces all.
func (x *text) write(attempt int, piece string) {
	if attempt < x.attempt {
		return
	}
	if attempt > x.attempt {
		x.restart(attempt)
	}
	if room := maxText - x.raw.Len(); len(piece) > room {
		piece, x.cut = strings.ToValidUTF8(piece[:max(room, 0)], ""), true
	}
	x.raw.WriteString(piece)
	for _, block := range x.split.Write(piece) {
		x.done = append(x.done, markdown.HTML(block))
	}
	x.moved = true
}

func (x *text) restart(attempt int) {
	*x = text{run: x.run, step: x.step, attempt: attempt, fresh: x.fresh, redo: !x.fresh}
}

// set replaces the text, unless it already reads so.
func (x *text) set(whole string) {
	if strings.TrimSpace(whole) == strings.TrimSpace(x.raw.String()) {
		return
	}
	attempt := x.attempt
	x.restart(attempt)
	x.write(attempt, whole)
}

// tail is the open block, rendered.
func (x *text) tail() string { return markdown.HTML(x.split.Tail()) }

package redact

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// kindSecret is the kind of a known secret.
const kindSecret = "secret"

// settle puts findings in order, joins those that overlap, and leaves alone what was replaced already.
func (s *state) settle(text []byte, marks marks, found []span) []span {
	if len(found) == 0 {
		return nil
	}
	slices.SortFunc(found, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(b.rank(), a.rank()))
	})
	var out []span
	for i, f := range found {
		if f.start >= f.end || marks.within(f) || runsOn(text, f, found[i+1:]) {
			continue
		}
		f = widened(text, f)
		if n := len(out); n > 0 && f.start < out[n-1].end {
			out[n-1] = joined(out[n-1], f)
			continue
		}
		out = append(out, f)
	}
	return out
}

// wrapWidth is how long a line is at least that mail breaks with an equals sign: in a shorter one that sign ends a value.
const wrapWidth = 60

// runsOn says whether f goes on over the end of a line where the same form ends in the text as it stands: it was found in
// a view without line ends.
func runsOn(text []byte, f span, rest []span) bool {
	if f.secret >= 0 || f.kind == kindPrivateKey {
		return false
	}
	for _, g := range rest {
		if g.start != f.start {
			return false
		}
		if g.kind == f.kind && g.end < f.end && bytes.IndexByte(text[g.end:min(f.end, g.end+3)], '\n') >= 0 {
			line := lineStart(text, g.end)
			return text[g.end] != '=' && text[g.end-1] != '=' || g.end-line < wrapWidth
		}
	}
	return false
}

// rank orders findings of the same place: what is known, what has a form, what only stands in a telling place.
func (f span) rank() int {
	switch {
	case f.secret >= 0:
		return 2
	case contextKinds[f.kind]:
		return 0
	}
	return 1
}

func joined(a, b span) span {
	best := a
	if b.rank() > a.rank() {
		best = b
	}
	best.start, best.end = a.start, max(a.end, b.end)
	return best
}

// rewrite puts marks in place of what was found.
func (e *Engine) rewrite(s *state, text string, spans []span) string {
	var b strings.Builder
	at := 0
	for _, f := range spans {
		b.WriteString(text[at:f.start])
		b.WriteString(e.mark(s, f, text[f.start:f.end]))
		at = f.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// mark is what stands in place of a finding.
func (e *Engine) mark(s *state, f span, value string) string {
	if f.secret >= 0 {
		return s.reg.marks[f.secret]
	}
	return e.labels.mark(f.kind, value)
}

func findings(s *state, spans []span) []Finding {
	out := make([]Finding, len(spans))
	for i, f := range spans {
		out[i] = Finding{Kind: f.kind, Start: f.start, End: f.end}
		if f.secret >= 0 {
			out[i].Name = s.reg.known[f.secret].Name
		}
	}
	return out
}

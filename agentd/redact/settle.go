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
func (s *state) settle(text []byte, found []span) []span {
	if len(found) == 0 {
		return nil
	}
	slices.SortFunc(found, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(b.rank(), a.rank()))
	})
	marks := s.marksIn(text)
	var out []span
	for i, f := range found {
		if f.start >= f.end || within(marks, f) || runsOn(text, f, found[i+1:]) {
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

// marksIn finds the marks in text that stand for something: others could be written to hide a secret in them.
func (s *state) marksIn(text []byte) (marks [][2]int) {
	for i := 0; ; {
		k := bytes.IndexByte(text[i:], '[')
		if k < 0 {
			return marks
		}
		i += k
		if n := s.markAt(text[i:]); n > 0 {
			marks = append(marks, [2]int{i, i + n})
			i += n
		} else {
			i++
		}
	}
}

// markAt is the length of the mark at the start of b, or 0.
func (s *state) markAt(b []byte) int {
	end := bytes.IndexByte(b[:min(len(b), maxName+24)], ']')
	if end < 0 {
		return 0
	}
	mark := string(b[:end+1])
	if s.names[mark] {
		return len(mark)
	}
	kind, ok := strings.CutPrefix(mark[:end], "[REDACTED:")
	if !ok {
		return 0
	}
	kind, number, numbered := strings.Cut(kind, "#")
	if numbered && (number == "" || len(number) > 9 || !isDigits([]byte(number))) || !s.rules.kinds[kind] {
		return 0
	}
	return len(mark)
}

// within says whether f lies in one of the marks.
func within(marks [][2]int, f span) bool {
	k, _ := slices.BinarySearchFunc(marks, f.start, func(m [2]int, at int) int { return cmp.Compare(m[0], at+1) })
	return k > 0 && f.end <= marks[k-1][1] && f.start >= marks[k-1][0]
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

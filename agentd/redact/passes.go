package redact

import (
	"cmp"
	"slices"
)

// maxPasses is how often a text is scanned at most, each time as it reads without what was found before.
const maxPasses = 4

// scan finds secrets in text as closely as d says. What begins or ends right beside a secret, so that both read as one
// word, is seen once the first is out: a text that was scanned holds nothing that a second scan would find.
func (s *state) scan(text []byte, d depth) ([]span, error) {
	spans, err := s.pass(text, d)
	for range maxPasses - 1 {
		if err != nil || d == registered || !touched(text, spans) {
			break
		}
		var more []span
		if more, err = s.pass(s.marked(text, spans), d); len(more) == 0 {
			break
		}
		spans = s.merged(spans, more)
	}
	return spans, err
}

// touched says whether a letter or digit stands right beside one of spans.
func touched(text []byte, spans []span) bool {
	return slices.ContainsFunc(spans, func(f span) bool { return !alone(text, f.start, f.end) })
}

// marked is text with a mark in place of each of spans.
func (s *state) marked(text []byte, spans []span) []byte {
	var out []byte
	at := 0
	for _, f := range spans {
		out = append(append(out, text[at:f.start]...), s.plainMark(f)...)
		at = f.end
	}
	return append(out, text[at:]...)
}

// plainMark is the mark of f without the number of its value.
func (s *state) plainMark(f span) string {
	if f.secret >= 0 {
		return s.reg.marks[f.secret]
	}
	return "[REDACTED:" + f.kind + "]"
}

// merged are spans and what more was found in the text with their marks, where it stands in the text itself.
func (s *state) merged(spans, more []span) []span {
	all := slices.Clone(spans)
	for _, f := range more {
		f.start, _ = s.unmarked(spans, f.start)
		_, f.end = s.unmarked(spans, f.end-1)
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	out := all[:0]
	for _, f := range all {
		if n := len(out); n > 0 && f.start < out[n-1].end {
			out[n-1] = joined(out[n-1], f)
			continue
		}
		out = append(out, f)
	}
	return out
}

// unmarked is the stretch of the text that the byte at i of its marked form stands for.
func (s *state) unmarked(spans []span, i int) (start, end int) {
	moved := 0 // how much longer the marked text is so far
	for _, f := range spans {
		n := len(s.plainMark(f))
		if i < f.start+moved {
			break
		}
		if i < f.start+moved+n {
			return f.start, f.end
		}
		moved += n - (f.end - f.start)
	}
	return i - moved, i - moved + 1
}

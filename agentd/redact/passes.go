package redact

import (
	"bytes"
	"cmp"
	"slices"
)

// maxPasses is how often a text is scanned at most, each time as it reads without what was found before.
const maxPasses = 4

// A text of more than wholeAgain bytes is scanned again only if that finds something within nearby bytes of what calls for
// it, and the lines that begin or end there, up to longLine: few texts that long hold two secrets side by side.
const (
	wholeAgain = 32 << 10
	nearby     = 512
	longLine   = 16 << 10
)

// portion is a part of a text.
type portion struct{ start, end int }

// scan finds secrets in text as closely as d says. What begins or ends right beside a secret, so that both read as one
// word, is seen once the first is out: a text that was scanned holds nothing of that kind.
func (s *state) scan(text []byte, d depth) ([]span, error) {
	spans, err := s.pass(text, d)
	if err != nil || d == registered {
		return spans, err
	}
	again, err := s.again(text, spans, d)
	for n := 1; err == nil && again && n < maxPasses; n++ {
		var more []span
		more, err = s.pass(s.marked(text, spans), d)
		if again = len(more) > 0; again {
			spans = s.merged(spans, more)
		}
	}
	return spans, err
}

// again says whether text is worth another scan.
func (s *state) again(text []byte, spans []span, d depth) (bool, error) {
	for _, part := range around(text, spans) {
		if part == (portion{0, len(text)}) {
			return true, nil
		}
		if more, err := s.holdsMore(text, part, spans, d); err != nil || more {
			return more, err
		}
	}
	return false, nil
}

// holdsMore says whether a scan of a part of text without spans finds something.
func (s *state) holdsMore(text []byte, part portion, spans []span, d depth) (bool, error) {
	var local []span
	for _, f := range spans {
		if f.start >= part.start && f.end <= part.end {
			f.start, f.end = f.start-part.start, f.end-part.start
			local = append(local, f)
		}
	}
	more, err := s.pass(s.marked(text[part.start:part.end], local), d)
	return len(more) > 0, err
}

// around are the parts of text that stand around spans with a letter or digit right beside them; the whole of it where they
// are most of it. No span lies across the end of a part.
func around(text []byte, spans []span) []portion {
	var all []portion
	sum := 0
	for i, f := range spans {
		if alone(text, f.start, f.end) {
			continue
		}
		if len(text) <= wholeAgain {
			return []portion{{0, len(text)}}
		}
		part := near(text, spans, i)
		if n := len(all); n > 0 && part.start <= all[n-1].end {
			part = portion{min(part.start, all[n-1].start), max(part.end, all[n-1].end)}
			sum, all = sum-(all[n-1].end-all[n-1].start), all[:n-1]
		}
		sum, all = sum+part.end-part.start, append(all, part)
	}
	if sum > len(text)/2 {
		return []portion{{0, len(text)}}
	}
	return all
}

// near is what stands nearby the i-th of spans.
func near(text []byte, spans []span, i int) portion {
	part := portion{max(spans[i].start-nearby, 0), min(spans[i].end+nearby, len(text))}
	if n := bytes.LastIndexByte(text[max(part.start-longLine, 0):part.start], '\n'); n >= 0 {
		part.start = max(part.start-longLine, 0) + n + 1
	}
	if n := bytes.IndexByte(text[part.end:min(part.end+longLine, len(text))], '\n'); n >= 0 {
		part.end += n
	}
	for ; i > 0 && spans[i-1].end > part.start; i-- {
		part.start = min(part.start, spans[i-1].start)
	}
	for ; i < len(spans) && spans[i].start < part.end; i++ {
		part.end = max(part.end, spans[i].end)
	}
	return part
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

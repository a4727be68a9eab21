package redact

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// marks are where in a text something stands that was replaced already, in order. They are left alone, and what is written
// in them says nothing about the text around: it is not what stood there.
type marks [][2]int

// marksIn finds the marks in text that stand for something: others could be written to hide a secret in them.
func (s *state) marksIn(text []byte) (all marks) {
	if !bytes.Contains(text, []byte("[SECRET:")) && !bytes.Contains(text, []byte("[REDACTED:")) {
		return nil
	}
	for i := 0; ; {
		k := bytes.IndexByte(text[i:], '[')
		if k < 0 {
			return all
		}
		i += k
		if n := s.markAt(text[i:]); n > 0 {
			all = append(all, [2]int{i, i + n})
			i += n
		} else {
			i++
		}
	}
}

// maxMark is how long a mark is at most.
const maxMark = maxName + 24

// markAt is the length of the mark at the start of b, or 0.
func (s *state) markAt(b []byte) int {
	end := bytes.IndexByte(b[:min(len(b), maxMark)], ']')
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

// around is the mark in which the byte at i stands.
func (m marks) around(i int) (mark [2]int, ok bool) {
	k, _ := slices.BinarySearchFunc(m, i, func(m [2]int, at int) int { return cmp.Compare(m[0], at+1) })
	if k == 0 || i >= m[k-1][1] {
		return mark, false
	}
	return m[k-1], true
}

// hold says whether the byte at i stands in a mark.
func (m marks) hold(i int) bool {
	if len(m) == 0 {
		return false
	}
	_, ok := m.around(i)
	return ok
}

// within says whether f lies in one of the marks.
func (m marks) within(f span) bool {
	mark, ok := m.around(f.start)
	return ok && f.end <= mark[1]
}

package redact

import (
	"bytes"
	"unicode"
)

// escape is a family of escape sequences that begin with one byte. one reads the sequence at the start of b: it appends
// what it stands for and gives its length, 0 for none. Where alone is
// set, a sequence counts only beside another unless alone says that it makes sense by itself.
type escape struct {
	lead  byte
	next  *[256]bool // what may stand behind lead
	one   func(dst, b []byte) ([]byte, int)
	alone func(c byte, raw []byte) bool
}

// read is one with a look at what stands around.
func (f escape) read(dst, src []byte, i int) ([]byte, int) {
	at := len(dst)
	out, n := f.one(dst, src[i:])
	if n == 0 || f.alone == nil || f.alone(out[at], src[i:i+n]) || i+n < len(src) && src[i+n] == f.lead || i >= n && src[i-n] == f.lead {
		return out, n
	}
	return dst, 0
}

// mailed says whether mail escapes a character by itself: others come in rows, but for those of a set with one byte each,
// which it writes in capitals.
func mailed(c byte, raw []byte) bool {
	return c >= 0x80 && bytes.IndexFunc(raw, unicode.IsUpper) > 0 && bytes.IndexFunc(raw, unicode.IsLower) < 0 || c == '=' || c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '.' || c == 0
}

var escapeFamilies = []escape{
	{lead: '\\', next: anyNext, one: backslashed},
	{lead: '%', next: following("0123456789abcdefABCDEFuU"), one: percented},
	{lead: '&', next: following("#" + asciiLetters), one: entity},
	{lead: '=', next: following("0123456789abcdefABCDEF"), one: quotedPrintable, alone: mailed},
}

const asciiLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// anyNext is what may follow where anything may.
var anyNext = func() *[256]bool {
	var t [256]bool
	for c := range t {
		t[c] = true
	}
	return &t
}()

// following is a table of some bytes.
func following(some string) *[256]bool {
	var t [256]bool
	for _, c := range []byte(some) {
		t[c] = true
	}
	return &t
}

// escapes reads v with each family of escapes decoded.
func (w *walk) escapes(v *view, depth int) {
	for _, f := range escapeFamilies {
		w.decoded(v, f, depth)
	}
	if bytes.Contains(v.text, []byte("%2525")) {
		w.decoded(v, escape{lead: '%', next: anyNext, one: percentedOften}, depth)
	}
	if bytes.Contains(v.text, []byte(`\0`)) {
		w.decoded(v, zeroOctals, depth)
	}
	near, escaped := spacedByPlus(v.text)
	switch {
	case v.apart || v.parent != nil && v.parent.apart:
		return // its parent has the same
	case v.spaced || escaped:
		w.decoded(v, pluses, max(depth, maxDepth-1))
	case near:
		w.decoded(v, pluses, max(depth, maxDepth))
	default:
		w.decoded(v, pluses, onlyKnown)
	}
}

// decoded reads the windows of v around what one family escapes.
func (w *walk) decoded(v *view, f escape, depth int) {
	for i := 0; i < len(v.text); {
		k := bytes.IndexByte(v.text[i:], f.lead)
		if k < 0 {
			return
		}
		if i += k; i+1 < len(v.text) && !f.next[v.text[i+1]] {
			i++
			continue
		}
		if _, n := f.read(w.tmp[:0], v.text, i); n == 0 {
			i++
			continue
		}
		next := w.decodeFrom(v, f, i, depth)
		if f.alone != nil && depth <= maxLeft { // the first of them may only be that of an assignment
			w.withoutFirst(v, f, i, next, depth)
		}
		i = next
		if w.over {
			return
		}
	}
}

// maxLeft is how deep views may be of which equals signs are left as they are.
const maxLeft = 2

// decodeFrom reads the window that begins with the sequence at i and lasts as long as others follow near enough. It
// answers where to go on.
func (w *walk) decodeFrom(v *view, f escape, i, depth int) int {
	src := v.text
	from := runStart(src, i, max(0, i-w.window))
	end := i // behind the last sequence
	u := &units{offset: from, all: w.unitsOf(8)}
	out := append(w.scratch(len(src)-from), src[from:i]...)
	for i < len(src) {
		var n int
		at := len(out)
		if out, n = f.read(out, src, i); n > 0 {
			u.all = append(u.all, unit{int32(at), int32(len(out)), int32(i), int32(i + n)})
			i += n
			end = i
			continue
		}
		out = append(out, src[i])
		i++
		next := bytes.IndexByte(src[i:], f.lead)
		if next < 0 || i+next-end > max(2*w.window, maxLine) {
			break
		}
		out = append(out, src[i:i+next]...)
		i += next
	}
	tail := runStop(src, end, min(len(src), end+w.window))
	out = append(out[:u.behind()], src[end:tail]...)
	if (f.lead == '+' || v.fresh(from, tail)) && w.spend(len(out)) {
		spaced := f.lead == '%' && u.holds(out, '+') || v.spaced && bytes.IndexByte(out, '+') >= 0
		w.read(w.view(view{text: out, parent: v, from: u, units: u, dull: u.dull(out), spaced: spaced, apart: f.lead == '+'}), depth)
	}
	return end
}

// holds says whether one of the units stands for c.
func (u *units) holds(out []byte, c byte) bool {
	for _, t := range u.all {
		if t.to < t.toEnd && out[t.to] == c {
			return true
		}
	}
	return false
}

// behind is where the last unit ends in the decoded text.
func (u *units) behind() int { return int(u.all[len(u.all)-1].toEnd) }

// scratch is memory of its own for a view whose length is not known, at most n.
func (w *walk) scratch(n int) []byte {
	n = min(n, 4*w.window)
	if cap(w.arena)-len(w.arena) < n {
		return make([]byte, 0, n)
	}
	at := len(w.arena)
	w.arena = w.arena[:at+n]
	return w.arena[at : at : at+n]
}

func (w *walk) spend(n int) bool {
	w.left -= n
	w.over = w.over || w.left < 0
	return !w.over
}

// withoutFirst reads a window again with its first one or two equals signs left as they are.
func (w *walk) withoutFirst(v *view, f escape, i, end, depth int) {
	for range 2 {
		if i == 0 || !isWord(v.text[i-1]) {
			return
		}
		k := bytes.IndexByte(v.text[i+1:end], f.lead)
		if k < 0 {
			return
		}
		i += 1 + k
		if _, n := f.read(w.tmp[:0], v.text, i); n > 0 {
			w.decodeFrom(v, f, i, depth)
		}
	}
}

// spacedByPlus says whether a plus sign stands near another, and whether one stands near something escaped.
func spacedByPlus(text []byte) (near, escaped bool) {
	for i := 0; ; {
		k := bytes.IndexByte(text[i:], '+')
		if k < 0 {
			return near, false
		}
		i += k + 1
		before, behind := text[max(0, i-17):i-1], text[i:min(len(text), i+16)]
		if bytes.ContainsAny(before, "%\\") || bytes.ContainsAny(behind, "%\\") {
			return true, true
		}
		near = near || bytes.IndexByte(behind, '+') >= 0
	}
}

// maxLine is how long the lines of wrapped base64 are at most, with some room.
const maxLine = 160

// maxReach is how far a run of base64 is followed beyond a window.
const maxReach = 4 << 10

// runStart moves from to the left when nothing but base64 stands between it and i.
func runStart(src []byte, i, from int) int {
	for k := from; k < i; k++ {
		if class[src[k]]&clsBase64 == 0 {
			return from
		}
	}
	for low := max(0, from-maxReach); from > low && class[src[from-1]]&clsBase64 != 0; from-- {
	}
	return from
}

// runStop moves to to the right when nothing but base64 stands between i and it.
func runStop(src []byte, i, to int) int {
	for k := i; k < to; k++ {
		if class[src[k]]&clsBase64 == 0 {
			return to
		}
	}
	for high := min(len(src), to+maxReach); to < high && class[src[to]]&clsBase64 != 0; to++ {
	}
	return to
}

package redact

import (
	"bytes"
	"unicode/utf8"
)

// forms looks for the forms of credentials in a view, and for names with their values where the view is a text of its own:
// what was a whole text before it was encoded, or has letters escaped that nobody need escape.
func (w *walk) forms(v *view) {
	switch {
	case v.whole:
		w.rules.all(v.text, nil, func(s span) {
			if len(v.text) <= maxWhole { // few would decode it to read the rest
				s.start, s.end = 0, len(v.text)
			}
			w.add(v, s)
		})
	case v.units != nil && v.units.needless(v.text):
		w.rules.all(v.text, nil, func(s span) {
			if v.units.touch(s.start, s.end) {
				w.add(v, s)
			}
		})
	default:
		w.rules.formats(v.text, nil, func(s span) { w.add(v, s) })
	}
}

// maxWhole is how many bytes that were encoded as a whole go as a whole when they hold a secret.
const maxWhole = 200

// minLegible is how long the shortest text is that has a name and a secret in it.
const minLegible = 12

// legible says whether decoded bytes are a text from one end to the other that could name something.
func legible(b []byte) bool {
	if len(b) < minLegible || !bytes.ContainsAny(b, "=: ") {
		return false
	}
	for _, c := range b {
		if k := byteKind[c]; k == byteOther || c == '\v' || c == '\f' {
			return false
		}
	}
	return utf8.Valid(b)
}

// fewNeedless is how many letters are escaped where it is for no need of the format.
const fewNeedless = 3

// needless says whether letters, digits and what joins them in names were escaped.
func (u *units) needless(out []byte) bool {
	n := 0
	for _, t := range u.all {
		if t.toEnd == t.to+1 && isWord(out[t.to]) && t.fromEnd > t.from+2 {
			if n++; n == fewNeedless {
				return true
			}
		}
	}
	return false
}

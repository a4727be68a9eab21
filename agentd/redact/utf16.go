package redact

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// wide16 reads stretches of v as UTF-16, both ways and from both an even and an odd place, where it holds zero bytes as such
// text does. Programs hold many zero bytes and little such text.
func (w *walk) wide16(v *view, depth int) {
	for at := 0; at < len(v.text) && !w.over; {
		first, last := wideStretch(v.text, at, 4*w.window)
		if first < 0 {
			return
		}
		from, to := max(at, first-2*w.window), min(len(v.text), last+2*w.window)
		for shift := range 2 {
			for big := range 2 {
				u, out := fromUTF16(v.text[:to], from+shift, big)
				if !w.spend(len(out)) {
					return
				}
				w.read(&view{text: out, parent: v, from: u, whole: depth > 1 && from+shift == 0 && to == len(v.text) && legible(out)}, depth)
			}
		}
		at = last + 1
	}
}

// wideStretch is the first stretch of text, from i on, in which zero bytes stand at every second place, with no more than
// gap bytes between those of it that do; -1 when there is none.
func wideStretch(text []byte, i, gap int) (first, last int) {
	first = -1
	for {
		k := bytes.IndexByte(text[i:], 0)
		if k < 0 || first >= 0 && i+k-last > gap {
			return first, last
		}
		i += k
		if i+6 < len(text) && text[i+2]|text[i+4]|text[i+6] == 0 && shown(text[i+1]) && shown(text[i+3]) && shown(text[i+5]) {
			if first < 0 {
				first = i
			}
			last = i + 6
		}
		i++
	}
}

// shown says whether c can be half of a character that text has.
func shown(c byte) bool { return c >= ' ' && c != 0x7F || c >= '\t' && c <= '\r' }

func fromUTF16(text []byte, from, big int) (*units, []byte) {
	u := &units{offset: from}
	var out []byte
	for i := from; i+1 < len(text); {
		n := 2
		r := rune(text[i+big]) | rune(text[i+1-big])<<8
		if utf16.IsSurrogate(r) && i+3 < len(text) {
			low := rune(text[i+2+big]) | rune(text[i+3-big])<<8
			if d := utf16.DecodeRune(r, low); d != utf8.RuneError {
				r, n = d, 4
			}
		}
		at := len(out)
		out = utf8.AppendRune(out, r)
		u.all = append(u.all, unit{int32(at), int32(len(out)), int32(i), int32(i + n)})
		i += n
	}
	return u, out
}

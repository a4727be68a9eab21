package redact

import "bytes"

// dumped reads hexadecimal dumps: lines of an offset, pairs of digits and perhaps the text again. A finding goes to the
// end of its last line, for the text there shows it too.
func (w *walk) dumped(v *view, depth int) {
	for i := 0; i < len(v.text) && !w.over; {
		if dumpOffset(v.text, i) == 0 {
			i = wholeLine(v.text, i) + 1
			continue
		}
		i = w.dump(v, i, depth)
	}
	for i := 1; i < len(v.text) && !w.over; { // one that begins behind something else on its line
		k := bytes.Index(v.text[i:], []byte("0000"))
		if k < 0 {
			return
		}
		if i += k; isWord(v.text[i-1]) || v.text[i-1] == '\n' || dumpOffset(v.text, i) == 0 {
			i += 4
			continue
		}
		i = w.dump(v, i, depth)
	}
}

// dump decodes the dump at i and answers where to go on.
func (w *walk) dump(v *view, i, depth int) int {
	u, out, end := dumpAt(v.text, i)
	if len(out) >= minLength && w.spend(len(out)) {
		w.bytesOf(v, out, depth, originFunc(func(s, e int) (int, int) {
			s, e = u.back(s, e)
			return s, wholeLine(v.text, e)
		}))
	}
	return max(end, wholeLine(v.text, i)+1)
}

// dumpAt decodes the dump whose first line begins at i.
func dumpAt(text []byte, i int) (*units, []byte, int) {
	u := &units{offset: i}
	var out []byte
	for i < len(text) {
		at := dumpOffset(text, i)
		if at == 0 {
			break
		}
		for at < len(text) {
			n := digitsAt(text, at)
			if n < 2 || n%2 != 0 || n > 8 {
				break
			}
			for ; n > 0; n -= 2 {
				u.all = append(u.all, unit{int32(len(out)), int32(len(out) + 1), int32(at), int32(at + 2)})
				out = append(out, hexValue(text[at])<<4|hexValue(text[at+1]))
				at += 2
			}
			gap := blanks(text, at)
			if gap == 0 || gap > 1 && (at+gap >= len(text) || !isHex(text[at+gap]) || len(out)%16 != 8) {
				break
			}
			at += gap
		}
		i = wholeLine(text, i) + 1
	}
	return u, out, i
}

// dumpOffset is where the digits of a dump's line begin that starts at i, or 0.
func dumpOffset(text []byte, i int) int {
	i += blanks(text, i)
	n := digitsAt(text, i)
	if n < 4 || n > 16 {
		return 0
	}
	at := i + n
	if at < len(text) && text[at] == ':' {
		at++
	}
	gap := blanks(text, at)
	if gap == 0 || at+gap >= len(text) {
		return 0
	}
	return at + gap
}

func blanks(text []byte, i int) (n int) {
	for i+n < len(text) && (text[i+n] == ' ' || text[i+n] == '\t') {
		n++
	}
	return n
}

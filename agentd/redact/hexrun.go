package redact

import "bytes"

// minHex is how many digits can hold the shortest secret.
const minHex = 12

// hexRuns decodes stretches of hexadecimal digits in a text without whitespace: in one piece or in pairs with signs
// between them, as 61:62, 0x61,0x62 or \x61\x62. It looks at the place where the shortest would end first: most bytes of
// a text are never looked at.
func (w *walk) hexRuns(v *view, depth int) {
	for at, stop := v.news(clsPair, 0); at < stop && !w.over; at, stop = v.news(clsPair, stop) {
		w.hexWithin(v, at, stop, depth)
	}
}

func (w *walk) hexWithin(v *view, i, stop, depth int) {
	for text := v.text[:stop]; i+minHex <= len(text) && !w.over; {
		k := i + minHex - 1
		for k >= i && class[text[k]]&clsPair != 0 {
			k--
		}
		if k >= i {
			i = k + 1
			continue
		}
		end := i + minHex
		for end < len(text) && class[text[end]]&clsPair != 0 {
			end++
		}
		if v.fresh(i, end) {
			w.hexStretch(v, i, end, depth)
		}
		i = end
	}
}

// hexStretch decodes the runs between start and end, where nothing stands but digits and what may stand between them.
func (w *walk) hexStretch(v *view, start, end, depth int) {
	for i := start; i+1 < end && !w.over; {
		if !isHex(v.text[i]) || !isHex(v.text[i+1]) {
			i++
			continue
		}
		i = max(w.hexRun(v, i, depth), i+1)
	}
}

// hexRun decodes the run that begins at start and answers where it ends.
func (w *walk) hexRun(v *view, start, depth int) int {
	text := v.text
	n, end := digitsAt(text, start), start
	if n >= minHex {
		for shift := range 2 {
			w.hexDigits(v, start+shift, start+n, depth)
		}
	}
	if n >= 2 && n < minHex && separator(text, start+n) == 0 {
		return start + n // most are parts of words
	}
	first, pairs := start+n%2, 0
	for i := start; ; {
		if n = digitsAt(text, i); n < 2 {
			break
		}
		pairs++
		even := n &^ 1
		if i == start {
			even = n
		}
		end = i + even
		gap := separator(text, end)
		if gap == 0 || even != n {
			break
		}
		i = end + gap
	}
	start = first
	if pairs >= 2 && end-start >= minHex+pairs {
		w.hexPairs(v, start, end, depth)
	}
	return end
}

func digitsAt(text []byte, i int) (n int) {
	for i+n < len(text) && isHex(text[i+n]) {
		n++
	}
	return n
}

// separator is the length of what may stand between pairs of digits at i.
func separator(text []byte, i int) (n int) {
	for i+n < len(text) && n < 4 {
		switch c := text[i+n]; {
		case c == ':' || c == ',' || c == '-' || c == ';' || c == '|' || c == '\\' || c == '.' || c == '+':
			n++
		case c|0x20 == 'x' && i+n+2 < len(text) && text[i+n+1] == '0' && !isHex(text[i+n+2]):
			n += 2
		case c|0x20 == 'x' && n > 0:
			n++
		case c == '0' && i+n+1 < len(text) && text[i+n+1]|0x20 == 'x':
			n += 2
		default:
			return n
		}
	}
	return n
}

func (w *walk) hexDigits(v *view, start, end, depth int) {
	out := w.grab((end - start) / 2)
	if w.over {
		return
	}
	for i := range out {
		out[i] = hexValue(v.text[start+2*i])<<4 | hexValue(v.text[start+2*i+1])
	}
	if w.worth(out) {
		w.bytesOf(v, out, depth, originFunc(func(s, e int) (int, int) { return start + 2*s, start + 2*e }))
	}
}

// hexPairs decodes groups of digits with signs between them, also backwards, digit by digit.
func (w *walk) hexPairs(v *view, start, end, depth int) {
	out := w.grab((end - start) / 2)
	if w.over {
		return
	}
	n := 0
	eachPair(v.text, start, end, func(i int) {
		out[n] = hexValue(v.text[i])<<4 | hexValue(v.text[i+1])
		n++
	})
	if out = out[:n]; n < minLength {
		return
	}
	mirror := w.grab(n)
	if w.over {
		return
	}
	for i, c := range out {
		mirror[n-1-i] = c<<4 | c>>4
	}
	plain, turned := w.worth(out), w.worth(mirror)
	if !plain && !turned {
		return
	}
	u := &units{offset: start}
	eachPair(v.text, start, end, func(i int) {
		k := int32(len(u.all))
		u.all = append(u.all, unit{k, k + 1, int32(i), int32(i + 2)})
	})
	if plain {
		w.bytesOf(v, out, depth, u)
	}
	if turned {
		w.bytesOf(v, mirror, depth, originFunc(func(s, e int) (int, int) { return u.back(n-e, n-s) }))
	}
}

// eachPair calls do with the places of pairs of digits between start and end. A leading 0x goes with the first.
func eachPair(text []byte, start, end int, do func(i int)) {
	for i := start; i < end; {
		n := digitsAt(text[:end], i)
		if n == 1 && i+1 < end && text[i+1]|0x20 == 'x' {
			i += 2
			continue
		}
		for ; n >= 2; n -= 2 {
			do(i)
			i += 2
		}
		i += n
		i += separator(text[:end], i)
		if i < end && !isHex(text[i]) {
			return
		}
	}
}

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

// maxAhead is how far ahead the end of a line is looked for: text without line ends must not be read to its end for each word
// of it.
const maxAhead = 4 * maxForm

// lineEnd is where the line ends at or after i, or maxAhead behind it.
func lineEnd(text []byte, i int) int { return wholeLine(text[:max(min(len(text), i+maxAhead), 0)], i) }

// lineStart is where the line begins that i stands in, or maxForm before it.
func lineStart(text []byte, i int) int {
	low := max(0, i-maxForm)
	return low + bytes.LastIndexByte(text[low:i], '\n') + 1
}

// wholeLine is the offset of the line's end at or after i.
func wholeLine(text []byte, i int) int {
	if i >= len(text) {
		return len(text)
	}
	if k := bytes.IndexByte(text[i:], '\n'); k >= 0 {
		return i + k
	}
	return len(text)
}

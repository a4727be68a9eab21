package redact

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

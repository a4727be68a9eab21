package redact

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

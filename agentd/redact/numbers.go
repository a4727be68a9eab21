package redact

import "unicode/utf8"

const (
	leastNumbers = 8  // in a list that is read as bytes
	minNumbers   = 23 // bytes of a text that the shortest such list of characters takes: two digits each, and a sign between
	maxApart     = 64 // bytes between two numbers of a list, most of them indentation
	maxSigns     = 8  // and how many of them are none
)

// number is one number of a list that may stand for bytes or characters: what it is in tens, in eights, and as a code
// point; -1 where it is none.
type number struct {
	decimal, octal, point int32
	start, end            int32
}

// numberLists reads lists of at least eight small numbers as the bytes that they are: 80, 97, 115 or 0o120 0o141 or
// U+0050 U+0061, with whatever signs between them. As with pairs of digits, most bytes of a text are never looked at.
func (w *walk) numberLists(v *view, depth int) {
	for at, stop := v.news(clsNumber, 0); at < stop && !w.over; at, stop = v.news(clsNumber, stop) {
		w.numbersWithin(v, at, stop, depth)
	}
}

func (w *walk) numbersWithin(v *view, i, stop, depth int) {
	for text := v.text[:stop]; i+minNumbers <= len(text) && !w.over; {
		last := text[i+minNumbers-4 : i+minNumbers]
		if class[last[0]]&class[last[1]]&class[last[2]]&class[last[3]]&clsNumber == 0 { // as nearly everywhere
			i += minNumbers - 3
			continue
		}
		k := i + minNumbers - 5
		for k >= i && class[text[k]]&clsNumber != 0 {
			k--
		}
		if k >= i {
			i = k + 1
			continue
		}
		end := i + minNumbers
		for end < len(text) && class[text[end]]&clsNumber != 0 {
			end++
		}
		if v.fresh(i, end) {
			w.numberStretch(v, i, end, depth)
		}
		i = end
	}
}

// numberStretch reads the lists between start and end.
func (w *walk) numberStretch(v *view, start, end, depth int) {
	list := w.numbers[:0]
	w.numbers = nil // what is read of this list may hold others
	for i := start; i < end && !w.over; {
		n, ok := numberAt(v.text, i)
		if !ok {
			i = max(int(n.end), i+1)
			continue
		}
		if len(list) > 0 && !follow(v.text, list[len(list)-1], n) {
			w.numberList(v, list, depth)
			list = list[:0]
		}
		list = append(list, n)
		i = int(n.end)
	}
	w.numberList(v, list, depth)
	w.numbers = list[:0]
}

// numberAt reads the number at i. Where there is none that counts, end is where whatever stands there ends. Letters may
// stand right beside one: a text is also read without its blanks.
func numberAt(text []byte, i int) (number, bool) {
	switch c := text[i]; {
	case isDigit(c):
		return byteAt(text, i)
	case c|0x20 == 'u' && i+1 < len(text) && text[i+1] == '+':
		v, digits := hexRun(text[i+2:], 4, 6)
		n := number{decimal: -1, octal: -1, point: int32(v), start: int32(i), end: int32(i + 2 + digits)}
		return n, digits > 0 && v <= utf8.MaxRune
	}
	return number{end: int32(i)}, false
}

// byteAt reads the digits at i.
func byteAt(text []byte, i int) (number, bool) {
	n := number{decimal: -1, octal: -1, point: -1, start: int32(i)}
	k := i
	marked := text[i] == '0' && i+1 < len(text) && text[i+1]|0x20 == 'o' // 0o17
	if marked {
		k += 2
	}
	tens, eights := int32(0), int32(0)
	for ; k < len(text) && isDigit(text[k]); k++ {
		d := int32(text[k] - '0')
		tens = min(10*tens+d, 1<<16)
		if eights = 8*eights + d; d > 7 || eights > 0xFF {
			eights = 1 << 8
		}
	}
	n.end = int32(k)
	if tens <= 0xFF && !marked {
		n.decimal = counted(text, i, tens)
	}
	if eights <= 0xFF {
		n.octal = eights
	}
	return n, n.decimal >= 0 || n.octal >= 0
}

// counted is a byte as languages write it that count bytes from -128.
func counted(text []byte, i int, v int32) int32 {
	if v > 0 && v <= 0x80 && i > 0 && text[i-1] == '-' && (i == 1 || !isWord(text[i-2])) {
		return 0x100 - v
	}
	return v
}

// follow says whether b can be the number behind a in one list: both are code points or neither is, and little stands
// between them but blanks and a few signs.
func follow(text []byte, a, b number) bool {
	if b.start-a.end > maxApart || (a.point < 0) != (b.point < 0) {
		return false
	}
	signs := 0
	for _, c := range text[a.end:b.start] {
		switch {
		case isWord(c):
			return false
		case !isSpace(c):
			signs++
		}
	}
	return a.end < b.start && signs <= maxSigns
}

// numberList reads one list in each way that all of its numbers allow.
func (w *walk) numberList(v *view, list []number, depth int) {
	if len(list) < leastNumbers {
		return
	}
	tens, eights, wide := true, true, false
	for _, n := range list {
		tens, eights, wide = tens && n.decimal >= 0, eights && n.octal >= 0, wide || n.decimal > 0x7F
	}
	switch {
	case list[0].point >= 0:
		w.listed(v, list, depth, func(out []byte, n number) []byte { return utf8.AppendRune(out, n.point) })
		return
	case tens:
		w.listed(v, list, depth, func(out []byte, n number) []byte { return append(out, byte(n.decimal)) })
	}
	if tens && wide { // a character each, where it is a byte each in most languages
		w.listed(v, list, max(depth, onlyKnown), func(out []byte, n number) []byte { return utf8.AppendRune(out, n.decimal) })
	}
	if eights {
		w.listed(v, list, depth, func(out []byte, n number) []byte { return append(out, byte(n.octal)) })
	}
}

// listed reads a list as put writes its numbers.
func (w *walk) listed(v *view, list []number, depth int, put func([]byte, number) []byte) {
	if !w.spend(len(list)) {
		return
	}
	out := make([]byte, 0, len(list))
	for _, n := range list {
		out = put(out, n)
	}
	if !w.worth(out) {
		return
	}
	u := &units{offset: int(list[0].start), all: make([]unit, 0, len(list))}
	at := 0
	for _, n := range list {
		to := at + len(put(w.tmp[:0], n))
		u.all = append(u.all, unit{int32(at), int32(to), n.start, n.end})
		at = to
	}
	w.bytesOf(v, out, depth, u)
}

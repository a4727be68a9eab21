package redact

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"unicode/utf8"
)

const (
	minRun     = 8       // characters of base64 that can hold the shortest secret
	minHex     = 12      // digits, the same
	maxUnzip   = 1 << 20 // bytes that one packed stretch may become
	printables = 6       // bytes of plain text in a row that make decoded bytes worth reading as text
)

var sextet = func() (t [256]byte) {
	for i := range t {
		t[i] = 0xFF
	}
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		t[c] = byte(i)
	}
	t['-'], t['_'] = 62, 63
	return t
}()

// base64Runs decodes every stretch of v that could be base64, also over line ends, at all four positions within a group:
// nobody knows where among such characters the encoded text begins.
func (w *walk) base64Runs(v *view, depth int) {
	text := v.text
	for i := 0; i < len(text); {
		if class[text[i]]&clsBase64 == 0 {
			i++
			continue
		}
		end, upper, joined := runEnd(text, i)
		if end-i >= minRun && upper >= 2 {
			w.base64Run(v, i, end, joined, depth)
			if 2*upper >= end-i {
				w.base32Run(v, i, end, depth)
			}
		}
		if w.over {
			return
		}
		i = end
	}
}

// runEnd finds the end of a run, counts its capitals and says whether it goes over the end of a line.
func runEnd(text []byte, i int) (end, upper int, joined bool) {
	for i < len(text) {
		k := class[text[i]]
		if k&clsBase64 != 0 {
			upper += int(k & clsUpper / clsUpper)
			i++
			continue
		}
		next := overLine(text, i)
		if next == 0 {
			break
		}
		i, joined = next, true
	}
	return i, upper, joined
}

// overLine is where base64 goes on when a line ends at i, or 0.
func overLine(text []byte, i int) int {
	if text[i] != '\n' && text[i] != '\r' {
		return 0
	}
	for ; i < len(text) && class[text[i]]&clsSpace != 0; i++ {
	}
	if i < len(text) && class[text[i]]&clsBase64 != 0 {
		return i
	}
	return 0
}

func (w *walk) base64Run(v *view, start, end int, joined bool, depth int) {
	chars, p := v.text[start:end], positions{}
	if joined {
		chars = w.grab(end - start)
		if w.over {
			return
		}
		p.source = v.text[start:end]
		var n int
		n, p.marks = compactMarked(chars, p.source)
		chars = chars[:n]
	}
	buf := w.grab(3 * len(chars))
	for phase := 0; phase < 4 && phase < len(chars) && !w.over; phase++ {
		n := unbase64(buf, chars[phase:])
		out := buf[:n]
		buf = buf[n:]
		if w.worth(out) {
			w.bytesOf(v, out, depth, phased{p, start, phase, len(chars) - 1}.back)
		}
	}
}

// phased leads from the bytes of a run of base64 to its characters.
type phased struct {
	positions
	start, phase, last int
}

func (p phased) back(s, e int) (int, int) {
	return p.at(p.phase + s*4/3), p.at(min(p.last, p.phase+(e*4-1)/3)) + 1
}

// at is where the i-th character of the run stands.
func (p phased) at(i int) int {
	if p.source == nil {
		return p.start + i
	}
	return p.start + p.find(i)
}

// worth says whether decoded bytes could show anything.
func (w *walk) worth(out []byte) bool {
	return packed(out) || textual(out) || w.reg.any(out)
}

// unbase64 decodes chars, all of the alphabet, and gives the number of bytes.
func unbase64(dst, chars []byte) int {
	n := 0
	for ; len(chars) >= 4; chars = chars[4:] {
		x := uint32(sextet[chars[0]])<<18 | uint32(sextet[chars[1]])<<12 | uint32(sextet[chars[2]])<<6 | uint32(sextet[chars[3]])
		dst[n], dst[n+1], dst[n+2] = byte(x>>16), byte(x>>8), byte(x)
		n += 3
	}
	if len(chars) >= 2 {
		dst[n] = sextet[chars[0]]<<2 | sextet[chars[1]]>>4
		n++
	}
	if len(chars) == 3 {
		dst[n] = sextet[chars[1]]<<4 | sextet[chars[2]]>>2
		n++
	}
	return n
}

// bytesOf reads decoded bytes: at once for known secrets, and as a text when they are one.
func (w *walk) bytesOf(v *view, out []byte, depth int, back func(int, int) (int, int)) {
	if packed(out) {
		w.unzip(&view{text: out, parent: v, back: back}, depth)
	}
	if textual(out) {
		w.read(&view{text: out, parent: v, back: back}, depth)
		return
	}
	w.reg.find(out, func(m match) {
		if !m.v.whole || alone(out, m.start, m.end) {
			w.add(&view{text: out, parent: v, back: back}, span{start: m.start, end: m.end, secret: m.v.secret, kind: kindSecret})
		}
	})
}

// textual says whether bytes are worth reading as a text.
func textual(b []byte) bool {
	row, zeros := 0, 0
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case c >= 0x20 && c < 0x7F || c >= '\t' && c <= '\r':
			row++
		case c == 0:
			if i > 0 && b[i-1] >= ' ' && b[i-1] < 0x7F || i+1 < len(b) && b[i+1] >= ' ' && b[i+1] < 0x7F {
				if zeros++; zeros >= 4 {
					return true
				}
			}
			row = 0
		case c < 0xC2:
			row = 0
		default:
			at := i
			for i+1 < len(b) && i-at < utf8.UTFMax-1 && b[i+1]&0xC0 == 0x80 {
				i++
			}
			if row++; i == at {
				row = 0
			}
		}
		if row >= printables {
			return true
		}
	}
	return false
}

func packed(b []byte) bool {
	return len(b) > 10 && (b[0] == 0x1f && b[1] == 0x8b && b[2] == 8 || b[0] == 0x78 && (b[1] == 0x01 || b[1] == 0x5e || b[1] == 0x9c || b[1] == 0xda))
}

// unzip reads what packed bytes hold. A finding in it stands for all of them.
func (w *walk) unzip(v *view, depth int) {
	var r io.Reader
	var err error
	if v.text[0] == 0x1f {
		r, err = gzip.NewReader(bytes.NewReader(v.text))
	} else {
		r, err = zlib.NewReader(bytes.NewReader(v.text))
	}
	if err != nil {
		return // it only looked so
	}
	out, _ := io.ReadAll(io.LimitReader(r, maxUnzip)) // what was unpacked before an error counts
	n := len(v.text)
	if len(out) > 0 && w.spend(len(out)) {
		w.read(&view{text: out, parent: v, back: func(int, int) (int, int) { return 0, n }}, depth)
	}
}

// zipped finds packed base64 in a text whose whitespace was left out, also written backwards.
func (w *walk) zipped(v *view, depth int) {
	for i := 0; !w.over; {
		k := bytes.Index(v.text[i:], []byte("H4sI"))
		if k < 0 {
			break
		}
		i += k
		end, _, _ := runEnd(v.text, i)
		w.base64Run(v, i, end, false, depth)
		i = end
	}
	if k := bytes.Index(v.text, []byte("Is4H")); k >= 0 {
		w.zippedBack(v, k+4, depth)
	}
}

func (w *walk) zippedBack(v *view, end, depth int) {
	start := end
	for start > 0 && class[v.text[start-1]]&clsBase64 != 0 {
		start--
	}
	text := w.grab(end - start)
	if w.over {
		return
	}
	for i := range text {
		text[i] = v.text[end-1-i]
	}
	w.base64Run(&view{text: text, parent: v, back: func(s, e int) (int, int) { return end - e, end - s }}, 0, len(text), false, depth)
}

// base32Run decodes a run of capitals and digits at all eight positions within a group.
func (w *walk) base32Run(v *view, start, end, depth int) {
	for i := start; i < end; {
		j := i
		for j < end && quintet(v.text[j]) < 32 {
			j++
		}
		if j-i >= 10 {
			w.base32Part(v, i, j, depth)
		}
		i = j + 1
	}
}

func (w *walk) base32Part(v *view, start, end, depth int) {
	for phase := range 8 {
		src := v.text[min(end, start+phase):end]
		out := w.grab(len(src)*5/8 + 1)
		if w.over {
			return
		}
		n, acc, bits := 0, uint32(0), 0
		for _, c := range src {
			acc = acc<<5 | uint32(quintet(c))
			if bits += 5; bits >= 8 {
				bits -= 8
				out[n] = byte(acc >> bits)
				n++
			}
		}
		if w.worth(out[:n]) {
			w.bytesOf(v, out[:n], depth, func(s, e int) (int, int) {
				return start + phase + s*8/5, min(end, start+phase+(e*8-1)/5+1)
			})
		}
	}
}

// quintet is the value of a character of base32, 32 for others.
func quintet(c byte) byte {
	switch {
	case c >= 'A' && c <= 'Z':
		return c - 'A'
	case c >= '2' && c <= '7':
		return c - '2' + 26
	}
	return 32
}

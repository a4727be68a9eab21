package redact

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
)

// maxUnzip is how many bytes one packed stretch may become.
const maxUnzip = 1 << 20

func packed(b []byte) bool {
	return len(b) > 10 && (b[0] == 0x1f && b[1] == 0x8b && b[2] == 8 || b[0] == 0x78 && (b[1] == 0x01 || b[1] == 0x5e || b[1] == 0x9c || b[1] == 0xda))
}

// minPacked is how many characters of base64 packed bytes have at least.
const minPacked = 14

// packed64 says whether chars are the base64 of something packed.
func packed64(chars []byte) bool {
	switch chars[0] {
	case 'H':
		return bytes.HasPrefix(chars, []byte("H4sI"))
	case 'e':
		return chars[1] == 'A' && chars[2] == 'E' || chars[1] == 'F' && chars[2]&^3 == '4' || chars[1] == 'J' && chars[2] >= 'w' && chars[2] <= 'z' || chars[1] == 'N' && chars[2] >= 'o' && chars[2] <= 'r'
	}
	return false
}

// unzip reads what packed bytes hold. A finding in it stands for all of them.
func (w *walk) unzip(v *view, depth int) {
	out, n := unpack(v.text)
	if len(out) > 0 && w.spend(len(out)) {
		w.read(&view{text: out, parent: v, from: originFunc(func(int, int) (int, int) { return 0, n })}, depth)
	}
}

// unpack gives what b holds, and how many bytes of b that is: what was taken for more of it, as the letters behind base64
// are, is not. What was unpacked before an error counts.
func unpack(b []byte) (out []byte, n int) {
	src := bytes.NewReader(b) // a ByteReader: nothing is read ahead
	if b[0] != 0x1f {
		r, err := zlib.NewReader(src)
		if err != nil {
			return nil, 0 // it only looked so
		}
		if out, err = readUpTo(r, maxUnzip); err != nil {
			return out, len(b)
		}
		return out, len(b) - src.Len()
	}
	r, err := gzip.NewReader(src)
	for err == nil { // one member after the other
		r.Multistream(false)
		var more []byte
		more, err = readUpTo(r, maxUnzip-len(out))
		if out = append(out, more...); err != nil {
			return out, len(b)
		}
		n = len(b) - src.Len()
		err = r.Reset(src)
	}
	return out, n
}

// errLong is that packed bytes hold more than is looked at.
var errLong = errors.New("more than is looked at")

// readUpTo reads r to its end, at most so many bytes of it.
func readUpTo(r io.Reader, most int) ([]byte, error) {
	out, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if len(out) > most {
		return out[:most], errLong
	}
	return out, err
}

// zipped finds packed base64 in a text whose whitespace was left out, also written backwards.
func (w *walk) zipped(v *view, depth int) {
	for i := 0; !w.over; {
		k := bytes.Index(v.text[i:], []byte("H4sI"))
		if k < 0 {
			break
		}
		i += k
		end, _ := runEnd(v.text, i)
		w.base64Run(v, i, end, false, depth)
		i = end
	}
	if k := bytes.Index(v.text, []byte("Is4H")); k >= 0 {
		w.zippedBack(v, k+4, depth)
	}
}

// packedLines finds packed base64 that begins with a line of a run that goes over several, or behind the sign of a change.
func (w *walk) packedLines(v *view, start, end, depth int) {
	for i := start; !w.over; {
		k := bytes.IndexByte(v.text[i:end], '\n')
		if k < 0 {
			return
		}
		for i += k; i < end && (isSpace(v.text[i]) || v.text[i] == '+' || v.text[i] == '-'); i++ {
		}
		if end-i >= minPacked && packed64(v.text[i:end]) {
			w.base64Run(v, i, end, true, depth)
		}
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
	w.base64Run(&view{text: text, parent: v, from: originFunc(func(s, e int) (int, int) { return end - e, end - s })}, 0, len(text), false, depth)
}

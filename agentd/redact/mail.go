package redact

import "bytes"

// softened reads v without the soft line breaks of quoted-printable text: an equals sign at the end of a line.
func (w *walk) softened(v *view, depth int) {
	u := &units{}
	var out []byte
	from := 0
	for i := 0; ; {
		k := bytes.IndexByte(v.text[i:], '=')
		if k < 0 {
			break
		}
		i += k
		n := softBreak(v.text[i:])
		if n == 0 {
			i++
			continue
		}
		out = append(out, v.text[from:i]...)
		u.all = append(u.all, unit{int32(len(out)), int32(len(out)), int32(i), int32(i + n)})
		i += n
		from = i
	}
	if len(u.all) == 0 {
		return
	}
	out = append(out, v.text[from:]...)
	if w.spend(len(out)) {
		w.read(&view{text: out, parent: v, back: u.back}, depth)
	}
}

// softBreak is the length of a soft line break at the start of b, or 0.
func softBreak(b []byte) int {
	n := 1
	for n < len(b) && (b[n] == ' ' || b[n] == '\t' || b[n] == '\r') {
		n++
	}
	if n < len(b) && b[n] == '\n' {
		return n + 1
	}
	return 0
}

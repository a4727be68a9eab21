package redact

import "bytes"

// shorts finds the values that are too short to be looked for anywhere. They count only where they stand alone, and with
// fewer than two kinds of characters, or fewer than four characters, only behind a word that announces a secret.
func (w *walk) shorts(text []byte) {
	for _, i := range w.reg.short {
		value := []byte(w.reg.known[i].Value)
		for at := 0; ; {
			k := bytes.Index(text[at:], value)
			if k < 0 || len(bytes.TrimSpace(value)) == 0 {
				break
			}
			start, end := at+k, at+k+len(value)
			if alone(text, start, end) && (len(value) >= 4 && mixed(value) || announced(text, start, w.reg.known[i].Name)) {
				w.found = append(w.found, span{start, end, int32(i), kindSecret})
			}
			at = start + 1
		}
	}
}

// mixed says whether a value has characters of two kinds at least: digits, letters, others.
func mixed(b []byte) bool {
	var digits, letters, others int
	for _, c := range b {
		switch {
		case isDigit(c):
			digits = 1
		case isLetter(c):
			letters = 1
		default:
			others = 1
		}
	}
	return digits+letters+others >= 2
}

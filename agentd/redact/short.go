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

// announced says whether a word before i announces a secret, or the name of this one does.
func announced(text []byte, i int, name string) bool {
	at := i
	for at > 0 && i-at < 12 && bytes.IndexByte([]byte(" \t=:\"'`>([{*"), text[at-1]) >= 0 {
		at--
	}
	if at == i {
		return false
	}
	for _, c := range copulas {
		if n := at - len(c); n > 0 && hasFold(text[n:at], c) && text[n-1] == ' ' {
			at = n - 1
			break
		}
	}
	start, end := nameAround(text, at, at)
	if start == end {
		return false
	}
	last := wordsOf([]byte(name))
	return strengthOf(text[start:end]) >= weak || len(last) > 0 && hasFold(text[start:end], last[len(last)-1]) && len(last[len(last)-1]) == end-start
}

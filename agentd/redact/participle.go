package redact

import (
	"bytes"
	"strings"
)

// doneStarts are the beginnings that German and Dutch put before a verb, doneEnds the endings that tell what was done in
// the languages that put all of it there.
var (
	doneStarts = []string{"ge", "ver", "be", "er", "ent", "über", "zurück", "mit", "neu", "ab", "an", "aus", "ein", "auf", "hinter", "frei", "her", "door", "op", "in", "aan", "uit"}
	doneEnds   = []string{"ed", "é", "ée", "ado", "ada", "ido", "ida", "ato", "ata", "uto", "uta", "iert", "ano", "ana", "ána", "áno", "ené", "éna", "éno", "elo", "ło", "ane", "one", "ono", "llt", "kat", "rat", "ttu", "tty", "ildi", "ıldı", "üldü", "uldu", "endi", "andı", "ело", "ана", "ано", "ён", "лен", "лён"}
	doneShort  = set(`sent given told shown known kept put set neu mis remis envió inviò verstuurd verzonden`)
)

// done says whether b is a word for what became of a password: sent, verschickt, enviada.
func done(b []byte) bool {
	low := string(b)
	if !letters(b) || bytes.ContainsAny(b, "-_") || low != strings.ToLower(low) {
		return false
	}
	if doneShort[low] {
		return true
	}
	if len(b) < 5 {
		return false
	}
	for _, end := range doneEnds {
		if strings.HasSuffix(low, end) {
			return true
		}
	}
	if len(b) < 7 || !strings.HasSuffix(low, "t") && !strings.HasSuffix(low, "en") && !strings.HasSuffix(low, "d") {
		return false
	}
	for _, start := range doneStarts {
		if strings.HasPrefix(low, start) {
			return true
		}
	}
	return false
}

// printedWord says whether b is a word of which quoted-printable writes the letters that ASCII lacks: what a mail says with
// it is read where it is decoded.
func printedWord(b []byte) bool {
	n := 0
	if printedByte(b) { // the sign before it was taken for one that gives a value
		b, n = b[2:], 1
	}
	for b = bytes.TrimRight(b, "=.,;:!?"); len(b) > 0; b = b[1:] {
		switch {
		case b[0] == '=' && printedByte(b[1:]):
			n++
			b = b[2:]
		case !isLetter(b[0]) && b[0] != '-':
			return false
		}
	}
	return n >= 2
}

// printedByte says whether b begins with a byte beyond ASCII in hexadecimal.
func printedByte(b []byte) bool {
	return len(b) >= 2 && among("89ABCDEF", b[0]) && among("0123456789ABCDEF", b[1])
}

package redact

import (
	"bytes"
	"strings"
	"unicode"
)

// coined says whether b is what people make of words when they are asked for a password: letters and digits, with a sign
// or not. Names of machines and versions look so too, so the place must say that a password stands there.
func coined(b []byte) bool {
	if len(b) < 6 || len(b) > 64 || !hasDigit(b) || isDigits(b) || !mixed(b) || placeholder(b) || reference(b) {
		return false
	}
	if linkish(b) || dateLike(b) || ordinal(b) || uuidAt(b) || digestLike(b) || named(b) || namedFile(b) || hexNumber(b) || decimal(b) {
		return false
	}
	if b[0] == '[' || b[0] == '/' || b[0] == '-' || bytes.ContainsAny(b, " \t()<>{}|;,\"`\\/") || address(b) {
		return false
	}
	k := bytes.IndexByte(b, '=')
	return !measure(b) && !product(b) && !(k >= 3 && k < len(b)-1 && letters(b[:k]) && wordy(b[:k]))
}

// phrased says whether what is coined has a sign that names have not, or is made of words that name no machine.
func phrased(b []byte) bool {
	return !ofMachine(b) && (marked(b) || sayable(b) || bytes.IndexByte(b, '_') > 0 && bytes.ContainsFunc(b, unicode.IsUpper) && bytes.ContainsFunc(b, unicode.IsLower))
}

// ofMachine says whether a part of b is one that the names of machines have.
func ofMachine(b []byte) bool {
	for _, w := range wordsOf(b) {
		if machineWords[strings.TrimRight(w, "0123456789")] {
			return true
		}
	}
	return false
}

// marked says whether what is coined has a sign, or a disorder, that no name has.
func marked(b []byte) bool { return bytes.ContainsAny(b, "!#$%&*+?@~^=") || choppy(b) }

// numbered says whether b is a word with a capital, a sign and a number: Maple-868.
func numbered(b []byte) bool {
	n := 0
	for n < len(b) && isLetter(b[n]) {
		n++
	}
	return n >= 4 && n+2 < len(b) && class[b[0]]&clsUpper != 0 && lowerTail(b[:n]) && among("-._", b[n]) && isDigits(b[n+1:]) && !machineWords[strings.ToLower(string(b[:n]))]
}

// choppy says whether small letters, capitals and digits take turns more often than in any name.
func choppy(b []byte) bool {
	const kinds = clsLower | clsUpper | clsDigit
	rows, seen := 0, uint16(0)
	for i, c := range b {
		k := class[c] & kinds
		seen |= k
		if i == 0 || k != class[b[i-1]]&kinds && (k != clsLower || class[b[i-1]]&clsUpper == 0) {
			rows++
		}
	}
	return len(b) >= 8 && seen == kinds && rows >= 5 && rows*5 >= len(b)*2
}

// emphatic is v with the sign at its end that is also one of the sentence: people end passwords with it.
func (v value) emphatic(text []byte) value {
	b := text[v.start:v.end]
	if !v.prose || v.quoted || v.end >= len(text) || !among("!?", text[v.end]) || !hasDigit(b) || isDigits(b) {
		return v
	}
	if next := v.end + 1; next >= len(text) || text[next] <= ' ' || among("\"'.,;)", text[next]) {
		v.end = next
	}
	return v
}

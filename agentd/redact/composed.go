package redact

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// toldNumber says whether b is a number that somebody may have chosen.
func toldNumber(b []byte) bool {
	return len(b) >= 4 && len(b) <= 10 && isDigits(b) && b[0] != '0' || len(b) == 4 && isDigits(b)
}

// composed says whether b is put together as people put passwords together: words in any script with a number, a sign or a
// hyphen, which no word of a sentence has.
func composed(b []byte) bool {
	if coined(b) || strongWord(b) {
		return !bytes.ContainsAny(b, "()<>{}[]")
	}
	if len(b) < 6 || len(b) > 64 || placeholder(b) || reference(b) || dateLike(b) || ordinal(b) || linkish(b) && !dottedWord(b) || generic(b) || bytes.ContainsAny(b, "()<>{}[]|\\/\"`:;,@") {
		return false
	}
	upper, digit, letter, ascii := false, hasDigit(b), 0, true
	parts := 1
	for k := 0; k < len(b); {
		r, n := utf8.DecodeRune(b[k:])
		switch {
		case unicode.IsLetter(r):
			letter++
			upper = upper || unicode.IsUpper(r)
			ascii = ascii && r < 0x80
		case (r == '-' || r == '_') && k > 0 && k+n < len(b):
			parts++
		}
		k += n
	}
	if letter < 4 {
		return false
	}
	if digit && (!ascii || dottedWord(b)) {
		return true
	}
	return parts > 1 && !attributive(b) && (upper || parts > 2 && bytes.IndexByte(b, '_') < 0) && (parts > 2 || bytes.IndexByte(b, '_') > 0)
}

// dottedWord says whether b is a word with a capital, a point and something with a number: Lantern.44b.
func dottedWord(b []byte) bool {
	k := bytes.IndexByte(b, '.')
	return k >= 4 && k == bytes.LastIndexByte(b, '.') && letters(b[:k]) && class[b[0]]&clsUpper != 0 && lowerTail(b[:k]) && isDigit(b[k+1])
}

// attributes end words with hyphens that say of what kind something is.
var attributes = set(`sensitive only protected based generated free encoded hashed encrypted specific length time wide defined supplied provided to in out up off on of line day term level side end less
	like related compatible safe proof factor step way use up-to-date the and date known case long`)

// attributive says whether b says of what kind something is: case-sensitive, one-time.
func attributive(b []byte) bool {
	for p := range strings.FieldsFuncSeq(strings.ToLower(string(b)), func(r rune) bool { return r == '-' || r == '_' }) {
		if attributes[p] || proseWords[p] || statusWords[p] || genericValue[p] {
			return true
		}
	}
	return false
}

// calendarWords, and words for a duty, end sentences about passwords.
var calendarWords = set(`pflicht pflichtfeld obligatoria obligatorio obligatoire obligatorisk verplicht obbligatoria obrigatória powinność unicode english windows linux bitwarden keepass lastpass
	monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december
	montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz juni juli oktober dezember`)

// singleWord says whether v is one word with a capital in the middle of a sentence that ends with it.
func singleWord(text []byte, v value) bool {
	b := text[v.start:v.end]
	low := strings.ToLower(string(b))
	if len(b) < 5 || len(b) > 24 || class[b[0]]&clsUpper == 0 || bytes.ContainsFunc(b[1:], func(r rune) bool { return !unicode.IsLower(r) }) || statusWords[low] || proseWords[low] || genericValue[low] || placeholder(b) || stopWords[low] || calendarWords[low] {
		return false
	}
	k := v.end
	return k < len(text) && text[k] == '.' && (k+1 >= len(text) || text[k+1] <= ' ') && v.start > 3 && text[v.start-1] == ' '
}

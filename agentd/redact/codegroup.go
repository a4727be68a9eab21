package redact

import (
	"bytes"
	"strings"
)

func isLetterBound(text []byte, i int) bool { return i >= len(text) || !isWord(text[i]) }

// codeEnds says whether the sentence does not go on to count something with the number.
func codeEnds(text []byte, v value) bool {
	k := v.end
	if k < len(text) && among("#*\\", text[k]) {
		k++
	}
	if k >= len(text) || among(".,;)]\n\r!\"'<", text[k]) || text[k] >= 0x80 {
		return true
	}
	if text[k] != ' ' || k+1 >= len(text) {
		return false
	}
	if text[k+1] >= 0xE3 { // of a script that writes the verb last
		return true
	}
	next := wordAt(text, k+1)
	return among("(#*", text[k+1]) || behindCode[strings.ToLower(string(text[next.start:next.end]))]
}

// behindCode are words with which a sentence goes on behind a code.
var behindCode = set(`and und et e y i a og och en then dann puis poi luego to for is ist at on in zum zur für um oldu olarak entonces luego pour per para im am you do don't ne not no nie nicht pull danach bitte please if it its auf it's press drück expires valid gültig with mit gesetzt geändert oder or from von ab desde dal fra från vanaf`)

// codeGroup reads a code that begins at i: digits, in groups or one by one, or a letter with them.
func codeGroup(text []byte, i, line int) (value, bool) {
	k, digits, capitals := i, 0, 0
	for k < line {
		c := text[k]
		switch {
		case isDigit(c):
			digits++
		case class[c]&clsUpper != 0:
			capitals++
		case (c == ' ' || c == '-') && k+1 < line && isDigit(text[k+1]) && digits < 8:
		default:
			line = k
			continue
		}
		k++
	}
	b := text[i:k]
	v := value{start: i, end: k}
	if k < len(text) && (isWord(text[k]) || text[k] == '/' || text[k] == ':' || text[k] == '.' && k+1 < len(text) && isDigit(text[k+1]) || text[k] == '-' && k+1 < len(text) && isWord(text[k+1])) {
		return v, false
	}
	if digits < 4 && !(capitals > 0 && digits+capitals >= 4) || digits > 8 || capitals > 2 || bytes.IndexByte(b, '-') > 0 && isDay(b) {
		return v, false
	}
	groups := bytes.FieldsFunc(b, func(r rune) bool { return r == ' ' || r == '-' })
	for _, g := range groups {
		if len(groups) > 1 && len(g) != len(groups[0]) {
			return v, false
		}
	}
	if k < len(text) && among("#*", text[k]) {
		v.end++
	}
	return v, true
}

// yearWords stand before a year.
var yearWords = set(`in im en em since seit from w roku år año ano of by until bis année`)

// yearLike says whether four digits are the year that a sentence speaks of.
func yearLike(text []byte, v value) bool {
	b := text[v.start:v.end]
	return (hasFold(b, "19") || hasFold(b, "20")) && v.start > 1 && yearWords[strings.ToLower(string(text[wordStart(text, v.start-1):v.start-1]))]
}

// isDay says whether b is a day with hyphens between its parts: 24-12-98, 2024-12-24.
func isDay(b []byte) bool {
	parts := strings.Split(string(b), "-")
	if len(parts) != 3 || len(b) < 8 {
		return false
	}
	return parts[1] <= "12" && (len(parts[0]) == 4 || parts[0] <= "31")
}

package ingress

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold brings text to one plain form: compatibility forms, accents, look-alikes of Latin letters and invisible runes
// are gone; case stays, for "AI" and the Italian "ai" are two words.
func fold(s string) string {
	if easy(s) {
		return s
	}
	var b strings.Builder
	var word []rune
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me) || invisible(r) && r != '\r':
		case unicode.IsLetter(r) || letterLike(r):
			word = append(word, r)
		default:
			word = flush(&b, word)
			b.WriteRune(r)
		}
	}
	flush(&b, word)
	return b.String()
}

// letterLike takes the signs that stand for letters though they are none.
func letterLike(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF || r >= 0x1F130 && r <= 0x1F189 }

// flush writes a word. A word wholly of another script is left as it is; one that can be read as Latin, or mixes in
// Latin letters, becomes Latin.
func flush(b *strings.Builder, word []rune) []rune {
	foreign, latin := false, false
	for _, r := range word {
		_, known := lookalike[r]
		latin = latin || unicode.Is(unicode.Latin, r)
		foreign = foreign || !known && !letterLike(r) && !unicode.Is(unicode.Latin, r)
	}
	for _, r := range word {
		if foreign && !latin {
			b.WriteRune(r)
		} else {
			b.WriteString(latinOf(r))
		}
	}
	return word[:0]
}

func latinOf(r rune) string {
	switch {
	case r >= 0x1F1E6 && r <= 0x1F1FF:
		return string('a' + r - 0x1F1E6)
	case r >= 0x1F130 && r <= 0x1F189:
		return string('a' + (r-0x1F130)%32)
	}
	if s, ok := lookalike[r]; ok {
		return s
	}
	return string(r)
}

// foldRune is the plain lower-case form of one rune, or 0 when it shows nothing.
func foldRune(r rune) rune {
	if invisible(r) {
		return 0
	}
	for _, d := range norm.NFKD.String(string(r)) {
		for _, l := range latinOf(d) {
			return unicode.ToLower(l)
		}
	}
	return unicode.ToLower(r)
}

// Fold is the plain form of a text for comparing what eyes confuse: look-alikes are one letter, accents and invisible
// runes are gone, and so is case.
func Fold(s string) string { return strings.ToLower(fold(s)) }

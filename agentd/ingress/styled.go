package ingress

import (
	"strings"
	"unicode"
)

// fewestStyled is how many letters in another dress make a disguise: formulas and badges have a few.
const fewestStyled = 12

// styled reads the words that are set in letters of a formula, in circles, in boxes or in full width. Such letters are for
// single signs and for headings of two words, and no program writes orders in them.
func styled(s string) []string {
	if easy(s) {
		return nil
	}
	var found []string
	n := 0
	for w := range strings.FieldsSeq(s) {
		dressed := strings.Map(func(r rune) rune {
			if inDress(r) {
				return r
			}
			return -1
		}, w)
		if dressed != "" {
			found = append(found, fold(w))
			n += len([]rune(dressed))
		}
	}
	if n < fewestStyled {
		return nil
	}
	return joined(found)
}

// inDress says whether a rune is a Latin letter in another dress.
func inDress(r rune) bool {
	switch {
	case r >= 0x1D400 && r <= 0x1D6A3, r >= 0x24B6 && r <= 0x24E9, r >= 0xFF21 && r <= 0xFF3A, r >= 0xFF41 && r <= 0xFF5A:
		return true
	}
	return letterLike(r)
}

// riddled reads the words whose Latin letters have runes between them that show nothing. Soft hyphens belong there.
func riddled(s string) []string {
	if easy(s) {
		return nil
	}
	var found []string
	n := 0
	for w := range strings.FieldsSeq(s) {
		if holes := holesIn(w); holes > 0 {
			found = append(found, fold(w))
			n += holes
		}
	}
	if n < fewestStyled {
		return nil
	}
	return joined(found)
}

// holesIn counts the places of a word where letters are parted by what shows nothing.
func holesIn(word string) (n int) {
	letter, hole := false, false
	for _, r := range word {
		switch {
		case r == 0xAD:
		case invisible(r):
			hole = letter
		default:
			if letter = unicode.Is(unicode.Latin, r); letter && hole {
				n++
			}
			hole = false
		}
	}
	return n
}

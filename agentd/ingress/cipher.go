package ingress

import (
	"slices"
	"strings"
	"unicode"

	"gatehouse/agentd/lazyre"
)

// shortText is the most text that is read under every shift of the alphabet.
const shortText = 16 << 10

// shifted reads each clause of a text under the shifts of the alphabet, for what announces a cipher is not in it; a long
// text under the usual shift alone.
func shifted(s string) (found []string) {
	if len(s) > shortText {
		return meantIn(chunks(s), func(part string) string { return turn(part, 13) })
	}
	parts := unclear(s)
	for by := 1; by < 26; by++ {
		found = append(found, meantIn(parts, func(part string) string { return turn(part, by) })...)
	}
	return found
}

// clauses cuts a text where sentences, lines and announcements end.
func clauses(s string) (parts []string) {
	from := 0
	for _, end := range clauseEnd.FindAllStringIndex(s, -1) {
		parts, from = append(parts, s[from:end[0]]), end[1]
	}
	return append(parts, s[from:])
}

// unclear gives the clauses that mean nothing as they stand: only they can be a cipher.
func unclear(s string) []string { return slices.DeleteFunc(clauses(s), meant) }

var clauseEnd = lazyre.MustCompile(`[:.!?]\s+|\n|[\[\](){}"]`)

// meantIn joins those parts of a text that mean something when read in another way.
func meantIn(parts []string, read func(string) string) (found []string) {
	for _, part := range parts {
		if t := read(part); meant(t) {
			found = append(found, t)
		}
	}
	return joined(found)
}

// meant says cheaply whether a shifted text can hold what rules look for: the shift of an ordinary text holds no
// word of any language.
func meant(s string) bool {
	n := 0
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) >= 4 && meaning(w) != 0 {
			n++
		}
	}
	return n >= 2
}

func turn(s string, by int) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+rune(by))%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+rune(by))%26
		}
		return r
	}, s)
}

// backwards reads the text from its end, and each word from its end.
func backwards(s string) []string {
	if len(s) > shortText {
		return append(meantIn(chunks(s), reversed), meantIn(chunks(s), mirrored)...)
	}
	parts := unclear(s)
	found := append(meantIn(parts, reversed), meantIn(parts, mirrored)...)
	for _, t := range []string{reversed(s), mirrored(s)} {
		if meant(t) {
			found = append(found, t)
		}
	}
	return found
}

// mirrored turns each word around.
func mirrored(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		words[i] = reversed(w)
	}
	return strings.Join(words, " ")
}

func reversed(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

// joined makes one text of parts that were found apart.
func joined(parts []string) []string {
	if len(parts) == 0 {
		return nil
	}
	return []string{strings.Join(parts, " ")}
}

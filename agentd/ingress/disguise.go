package ingress

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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

var (
	leetWord  = lazyre.MustCompile(`[\pL]*[0-9@$!|+€£(<][\pL0-9@$!|+€£(<]*\pL[\pL0-9@$!|+€£(<]*|\pL+[0-9@$!|+€£(<]+[\pL0-9@$!|+€£(<]*`)
	leetSigns = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "6", "g", "7", "t", "8", "b", "9", "g",
		"@", "a", "$", "s", "!", "i", "|", "l", "+", "t", "€", "e", "£", "l", "(", "c", "<", "c")
	leetMarks = "01345678@$"
	leetEll   = strings.NewReplacer("1", "l")
)

// leet reads digits and signs inside words as the letters they look like.
func leet(s string) []string {
	var b strings.Builder
	n := 0
	for field := range strings.SplitAfterSeq(fold(s), " ") {
		if strings.ContainsAny(field, leetMarks) {
			field = leetWord.ReplaceAllStringFunc(field, func(w string) string {
				if !strings.ContainsAny(w, leetMarks) {
					return w
				}
				n++
				return unleet(w)
			})
		}
		b.WriteString(field)
	}
	if n < 2 {
		return nil
	}
	return []string{b.String()}
}

// leetWords reads only the words that digits and signs disguise.
func leetWords(s string) (found []string) {
	for field := range strings.SplitSeq(fold(s), " ") {
		if !strings.ContainsAny(field, leetMarks) {
			continue
		}
		for _, w := range leetWord.FindAllString(field, -1) {
			if strings.ContainsAny(w, leetMarks) {
				found = append(found, unleet(w))
			}
		}
	}
	return joined(found)
}

// unleet takes the reading that means something.
func unleet(w string) string {
	if t := leetSigns.Replace(leetEll.Replace(w)); meaning(strings.ToLower(t)) != 0 {
		return strings.ToLower(t)
	}
	return strings.ToLower(leetSigns.Replace(w))
}

// spacedRun is a row of single letters with the same kind of sign between them.
var spacedRun = lazyre.MustCompile(`(?:[\pL\d][ \t]{1,4}){6,}[\pL\d]|(?:[\pL\d][.\-_*|/·•,~+][ \t]{0,3}){2,}[\pL\d]|(?:[\pL\d][ \t]?\r?\n){6,}[\pL\d]`)

// spaced joins letters that were pulled apart, and finds the words again.
func spaced(s string) (found []string) {
	s = fold(s)
	if !apart(s) {
		return nil
	}
	for _, m := range spacedRun.FindAllString(s, 100) {
		found = append(found, together(m))
	}
	return joined(found)
}

// together joins the letters of a row. Blanks that are wider than the others part its words; where all are alike, words
// are found by what they mean.
func together(row string) string {
	parts := strings.Split(wideBlank.ReplaceAllString(row, "\x00"), "\x00")
	for i, part := range parts {
		parts[i] = strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, part)
	}
	if len(parts) < 2 || slices.Max(lengths(parts)) < 2 {
		return segments(strings.Join(parts, ""))
	}
	return strings.Join(parts, " ")
}

func lengths(parts []string) (all []int) {
	for _, p := range parts {
		all = append(all, len(p))
	}
	return all
}

// wideBlank stands between words whose letters one blank parts.
var wideBlank = lazyre.MustCompile(`[ \t]{2,}`)

// apart says cheaply whether a text can hold letters that were pulled apart: several words of one letter in a row.
func apart(s string) bool {
	row, before := 0, 0
	for _, p := range parted(s) {
		between := s[before:p.from]
		before = p.to
		if _, n := utf8.DecodeRuneInString(s[p.from:p.to]); n < p.to-p.from {
			row = 0
			continue
		}
		if row++; row >= 4 || row >= 2 && !strings.ContainsAny(between, " \n") {
			return true
		}
	}
	return strings.Contains(s, "_") && underscored.MatchString(s)
}

// underscored is letters with underscores between, which count as one word.
var underscored = lazyre.MustCompile(`(?:[\pL\d]_){3}`)

// joined makes one text of parts that were found apart.
func joined(parts []string) []string {
	if len(parts) == 0 {
		return nil
	}
	return []string{strings.Join(parts, " ")}
}

var morseRun = lazyre.MustCompile(`(?:[.\-·–_]{1,6}[ /|]{1,3}){8,}[.\-·–_]{1,6}`)

const morseCode = ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."

// morse reads dots and dashes.
func morse(s string) (found []string) {
	codes := map[string]string{}
	for i, c := range strings.Fields(morseCode) {
		codes[c] = string(rune('a' + i))
	}
	for _, m := range morseRun.FindAllString(s, 20) {
		m = strings.NewReplacer("·", ".", "–", "-", "_", "-", "/", " / ", "|", " / ").Replace(m)
		var b strings.Builder
		for _, f := range strings.Fields(m) {
			if l, ok := codes[f]; ok {
				b.WriteString(l)
			} else {
				b.WriteByte(' ')
			}
		}
		found = append(found, segments(strings.ReplaceAll(b.String(), " ", "")))
	}
	return found
}

package ingress

import (
	"regexp"
	"strings"
	"unicode"
)

// shortText is the most text that is read under every shift of the alphabet.
const shortText = 16 << 10

// shifted reads the text under the shifts of the alphabet; a long text under the usual one alone.
func shifted(s string) (found []string) {
	if len(s) > shortText {
		return []string{turn(s, 13)}
	}
	for by := 1; by < 26; by++ {
		if t := turn(s, by); meant(t) {
			found = append(found, t)
		}
	}
	return found
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
	words := strings.Fields(s)
	for i, w := range words {
		words[i] = reversed(w)
	}
	var found []string
	for _, t := range []string{reversed(s), strings.Join(words, " ")} {
		if meant(t) {
			found = append(found, t)
		}
	}
	return found
}

func reversed(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

var (
	leetWord  = regexp.MustCompile(`[\pL]*[0-9@$!|+€£(<][\pL0-9@$!|+€£(<]*\pL[\pL0-9@$!|+€£(<]*|\pL+[0-9@$!|+€£(<]+[\pL0-9@$!|+€£(<]*`)
	leetSigns = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "6", "g", "7", "t", "8", "b", "9", "g",
		"@", "a", "$", "s", "!", "i", "|", "l", "+", "t", "€", "e", "£", "l", "(", "c", "<", "c")
	leetEll = strings.NewReplacer("1", "l")
)

// leet reads digits and signs inside words as the letters they look like.
func leet(s string) []string {
	s = fold(s)
	if len(leetWord.FindAllString(s, 2)) < 2 {
		return nil
	}
	return []string{leetWord.ReplaceAllStringFunc(s, unleet)}
}

// unleet takes the reading that means something.
func unleet(w string) string {
	if t := leetSigns.Replace(leetEll.Replace(w)); meaning(strings.ToLower(t)) != 0 {
		return strings.ToLower(t)
	}
	return strings.ToLower(leetSigns.Replace(w))
}

// spacedRun is a row of single letters with the same kind of sign between them.
var spacedRun = regexp.MustCompile(`(?:[\pL\d][ \t]{1,4}){6,}[\pL\d]|(?:[\pL\d][.\-_*|/·•,~+][ \t]{0,3}){2,}[\pL\d]|(?:[\pL\d][ \t]?\r?\n){6,}[\pL\d]`)

// spaced joins letters that were pulled apart, and finds the words again.
func spaced(s string) (found []string) {
	for _, m := range spacedRun.FindAllString(fold(s), 100) {
		letters := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, m)
		found = append(found, segments(letters))
	}
	return atLeastOne(found)
}

// atLeastOne joins the parts of a text that was pulled apart line by line.
func atLeastOne(parts []string) []string {
	if len(parts) == 0 {
		return nil
	}
	return []string{strings.Join(parts, " ")}
}

var morseRun = regexp.MustCompile(`(?:[.\-·–_]{1,6}[ /|]{1,3}){8,}[.\-·–_]{1,6}`)

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

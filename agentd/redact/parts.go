package redact

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// minPart is how long a part of a secret is that is one by itself.
const minPart = 8

// longPart is how many characters make one of a part of a single kind of them: more than an everyday word or a time has.
const longPart = 16

// partsOf are parts of a value that give it away alone: the password in an address, the lines of a key.
func partsOf(value string) []string {
	if at, err := url.Parse(value); err == nil && at.User != nil {
		if word, ok := at.User.Password(); ok && telling(word) && word != at.User.Username() {
			return []string{word}
		}
		return nil
	}
	if !strings.HasPrefix(value, "-----BEGIN ") {
		return nil
	}
	var lines []string
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); len(line) >= 4*minPart && !strings.ContainsAny(line, "- :") {
			lines = append(lines, line)
		}
	}
	return lines
}

// telling says whether a password cannot be taken for a word, a number or a date that anybody writes: it is long, or it has
// letters and something else, or digits and signs that no date has. Capitals are no kind of their own, for forms match in any
// case.
func telling(word string) bool {
	letters := strings.ContainsFunc(word, unicode.IsLetter)
	digits := strings.ContainsFunc(word, unicode.IsDigit)
	signs := strings.ContainsFunc(word, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) && (letters || !strings.ContainsRune("-./:", r))
	})
	mixed := letters && (digits || signs) || digits && signs
	return len(word) >= minPart && mixed || utf8.RuneCountInString(word) >= longPart
}

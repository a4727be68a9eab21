package redact

import (
	"net/url"
	"strings"
)

// minPart is how long a part of a secret is that is one by itself.
const minPart = 8

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

// telling says whether a password cannot be taken for an everyday word: it is long, and not of small letters alone.
func telling(word string) bool {
	return len(word) >= minPart && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != ""
}

package redact

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// minPart is how long a part of a secret is that is one by itself.
const minPart = 8

// longPart is how many letters make one of a part of nothing else: more than an everyday word has.
const longPart = 16

// partsOf are parts of a value that give it away alone: the password in an address, the lines of a key, the secret fields of an object.
func partsOf(value string) []string {
	if at, err := url.Parse(value); err == nil && at.User != nil {
		if word, ok := at.User.Password(); ok && telling(word) && word != at.User.Username() {
			return []string{word}
		}
		return nil
	}
	if strings.HasPrefix(strings.TrimSpace(value), "{") {
		return fieldsOf(value)
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

// fieldsOf are the texts of an object that are secret by their name, and their parts. What else stands in it, such as an address, is not.
func fieldsOf(value string) (all []string) {
	var fields map[string]any
	if json.Unmarshal([]byte(value), &fields) != nil {
		return nil
	}
	for name, field := range fields {
		text, is := field.(string)
		last := name[strings.LastIndexAny(name, "_-.")+1:]
		if !is || len(text) < minPart || !secretNames[strings.ToLower(last)] {
			continue
		}
		all = append(all, text)
		if !strings.HasPrefix(text, "{") { // one object deep
			all = append(all, partsOf(text)...)
		}
	}
	return all
}

// secretNames are how the name of a field ends that holds a secret.
var secretNames = map[string]bool{"token": true, "secret": true, "password": true, "key": true}

// telling says whether a password cannot be taken for a word or a date that anybody writes: it has letters and something
// else, digits or signs that no date has, letters as no word has them, or it is long.
func telling(word string) bool {
	letters := strings.ContainsFunc(word, unicode.IsLetter)
	other := strings.ContainsFunc(word, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M) })
	switch {
	case len(word) < minPart:
		return false
	case letters && other:
		return true
	case other:
		return !dated(word)
	}
	return leaps(word) > 1 || utf8.RuneCountInString(word) >= longPart
}

// dated says whether a word of digits and signs may be a day, or a time of one.
func dated(word string) bool {
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune("-./: ", r) {
			return -1
		}
		return r
	}, word)
	century := func(s string) bool { return strings.HasPrefix(s, "19") || strings.HasPrefix(s, "20") }
	switch _, err := strconv.ParseUint(digits, 10, 64); {
	case err != nil:
		return false
	case len(digits) == 8:
		return century(digits) || century(digits[4:])
	}
	return (len(digits) == 12 || len(digits) == 14) && century(digits)
}

// leaps is how often a small letter is followed by a capital: in a word never, and in a name made of two once.
func leaps(word string) (n int) {
	small := false
	for _, r := range word {
		if small && unicode.IsUpper(r) {
			n++
		}
		small = unicode.IsLower(r)
	}
	return n
}

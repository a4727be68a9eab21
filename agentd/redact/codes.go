package redact

import (
	"bytes"
	"strings"
)

// maxCodes is how many codes of a list are read, and maxCode how long one is.
const (
	maxCodes = 24
	maxCode  = 40
)

// codeList finds the codes of a list that lets its owner in without a second factor: two or more of the same shape.
func codeList(text []byte, i, n int, add func(span)) {
	at := skipAny(text, i+n, 2, " ")
	for codeShape(text[at:codeEnd(text, at)]) == "" && at < len(text) && at < i+n+80 && text[at] != ':' && text[at] != '\n' {
		at++
	}
	var found []span
	var first string
	for len(found) < maxCodes && at < len(text) {
		at = skipListSigns(text, at)
		stop := codeEnd(text, at)
		shape := codeShape(text[at:stop])
		if shape == "" || first != "" && shape != first {
			break
		}
		first = shape
		found = append(found, span{at, stop, -1, "recovery-code"})
		at = stop
	}
	digits := false
	for _, f := range found {
		digits = digits || hasDigit(text[f.start:f.end])
	}
	if len(found) == 0 || !digits || len(found) == 1 && !(halved(text[found[0].start:found[0].end]) && mixed(bytes.ReplaceAll(text[found[0].start:found[0].end], []byte("-"), nil))) {
		return
	}
	for _, f := range found {
		add(f)
	}
}

// skipListSigns goes over what stands between the members of a list: signs, line ends, numbers with a point.
func skipListSigns(text []byte, at int) int {
	for at < len(text) {
		k := skipAny(text, at, 60, " \t\r\n:,;*|\"'`[]>-•")
		d := k
		for d < len(text) && d < k+2 && isDigit(text[d]) {
			d++
		}
		if d > k && d+1 < len(text) && (text[d] == '.' || text[d] == ')') {
			k = d + 1
		}
		if k == at {
			return at
		}
		at = k
	}
	return at
}

// codeEnd is where a code ends that begins at i: one word, or two groups of the same length.
func codeEnd(text []byte, i int) int {
	k := i
	for k < min(len(text), i+maxCode+1) && (isLetter(text[k]) || isDigit(text[k]) || text[k] == '-') {
		k++
	}
	if n := k - i; n >= 3 && n <= 5 && k+n < len(text)+1 && text[min(k, len(text)-1)] == ' ' {
		d := k + 1
		for d < len(text) && (isLetter(text[d]) || isDigit(text[d])) {
			d++
		}
		if d-k-1 == n && hasDigit(text[k+1:d]) {
			return d
		}
	}
	return k
}

// codeShape tells codes apart by their length and signs; "" is no code.
func codeShape(b []byte) string {
	if len(b) < 6 || len(b) > maxCode || !hasDigit(b) && !bytes.ContainsRune(b, '-') || dateShape(b) || wordy(b) && !halved(b) {
		return ""
	}
	shape := bytes.Clone(b)
	for k, c := range shape {
		if isLetter(c) || isDigit(c) {
			shape[k] = 'x'
		}
	}
	return string(shape)
}

// halved says whether b is two groups of the same length with a hyphen between them.
func halved(b []byte) bool {
	return len(b)%2 == 1 && b[len(b)/2] == '-' && bytes.Count(b, []byte("-")) == 1
}

// dateShape says whether b is a day of a calendar.
func dateShape(b []byte) bool {
	return len(b) == 10 && b[4] == '-' && b[7] == '-'
}

// groupedSeed finds a seed of one-time passwords that is written in groups of four: how pages show it.
func groupedSeed(text []byte, i int) (value, bool) {
	line := lineEnd(text, i)
	at := skipAny(text, i, 12, " \t:=\"'`*")
	below := false
	if at < len(text) && (text[at] == '\n' || text[at] == '\r') {
		at = skipAny(text, at, 8, " \t\r\n")
		line, below = lineEnd(text, at), true
	}
	for at < line && at < i+24 && !groupAtSeed(text, at) {
		stop := bytes.IndexByte(text[at:line], ' ')
		if stop < 0 {
			return value{}, false
		}
		at = skipAny(text, at+stop, 4, " :\"'`")
	}
	if bytes.Contains(text[max(0, i-60):i], []byte("ingerprint")) || bytes.Contains(text[i:at], []byte("ingerprint")) {
		return value{}, false
	}
	start, groups := at, 0
	for groupAtSeed(text, at) {
		groups++
		at += 5
	}
	// Small letters are also words of four.
	if below && !(groups >= 4 && hasDigit(text[start:at-1])) {
		return value{}, false
	}
	return value{start: start, end: at - 1, whole: true}, groups >= 4 && !argumentNames(text[start:at-1]) && (hasDigit(text[start:at-1]) || class[text[start]]&clsUpper != 0 || groups >= 8 && !fourWords(text[start:start+19], false))
}

// argumentNames says whether groups are names with numbers: arg1 arg2 ….
func argumentNames(b []byte) bool {
	return class[b[0]]&clsLower != 0 && len(b) >= 8 && bytes.Equal(b[:3], b[5:8]) && isDigit(b[3]) && isDigit(b[8])
}

// groupedPassword finds four groups of four letters with blanks or hyphens between them: what accounts give to programs.
// Behind words that say for whom it is they must not be four words.
func groupedPassword(text []byte, i int) (value, bool) {
	told := behindWhom(text, i)
	at := skipAny(text, told, 3, "\"'`* ")
	signed := told > i || at < len(text) && among(":=", text[at])
	start := skipAny(text, at, 6, ":=\"'`* \t")
	if k := shownGroups(text, start); signed && k > start {
		return value{start: start, end: k}, true
	}
	for at = start; at < start+20; at += 5 {
		if !groupAtSeed(text, at) || at > start && (at > len(text) || text[at-1] != '-' && (!signed || text[at-1] != ' ')) {
			return value{}, false
		}
	}
	end := at - 1
	if told > i && fourWords(text[start:end], mentions(text[max(0, i-24):i], "app")) {
		return value{}, false
	}
	return value{start: start, end: end}, end == len(text) || !isWord(text[end]) && (text[end] != ' ' || end+1 == len(text) || !isLetter(text[end+1]))
}

// behindWhom is the place behind the words that say for whom or what a password is, and the colon or verb behind them; or i.
func behindWhom(text []byte, i int) int {
	at := skipAny(text, i, 2, " *`")
	if at == i {
		return i
	}
	for line := min(lineEnd(text, i), i+maxNameRun); at < line; {
		stop := wordEnd(text, at, line)
		word := text[at:stop]
		if len(word) == 0 {
			break // more blanks than between two words
		}
		if isCopula(word) && !vague(text, at, stop) || at > i+1 && word[len(word)-1] == ':' {
			return stop
		}
		at = skipAny(text, stop, 2, " ")
	}
	return i
}

// fourWords says whether one of four groups of letters is a word that sentences have, or all look like words where no
// account gave them to an app.
func fourWords(b []byte, ofApp bool) bool {
	words := 0
	for _, w := range bytes.FieldsFunc(b, func(r rune) bool { return r == ' ' || r == '-' }) {
		low := strings.ToLower(string(w))
		if proseWords[low] || statusWords[low] || genericValue[low] || stopWords[low] {
			return true
		}
		if wordy(w) {
			words++
		}
	}
	return words == 4 && !ofApp
}

// shownGroups is where six groups of four letters and digits end that begin at i, or i.
func shownGroups(text []byte, i int) int {
	at := i
	for n := 0; n < 6; n++ {
		if !rowOf(text, at, 4) || at+4 < len(text) && isWord(text[at+4]) || n > 0 && text[at-1] != ' ' {
			return i
		}
		at += 5
	}
	if b := text[i : at-1]; !hasDigit(b) || !mixedCase(b) {
		return i
	}
	return at - 1
}

// groupAtSeed says whether a group of four characters of base32 stands at i, all capitals or all small.
func groupAtSeed(text []byte, i int) bool {
	if i+4 > len(text) || i+4 < len(text) && isWord(text[i+4]) {
		return false
	}
	upper, lower := 0, 0
	for _, c := range text[i : i+4] {
		switch {
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= 'a' && c <= 'z':
			lower++
		case c < '2' || c > '7':
			return false
		}
	}
	return upper == 0 || lower == 0
}

// groupedKey finds a key for the day when everything else is lost: groups of capitals and digits with hyphens.
func groupedKey(text []byte, i, n int, add func(span)) {
	low, high := max(0, i-60), min(len(text), i+n+100)
	for at := low; at < high; at++ {
		if at > 0 && (isWord(text[at-1]) || text[at-1] == '-') || !isWord(text[at]) {
			continue
		}
		end := at
		for end < len(text) && end-at < 80 && (class[text[end]]&(clsUpper|clsDigit) != 0 || text[end] == '-') {
			end++
		}
		parts := bytes.Split(text[at:end], []byte("-"))
		if len(parts) >= 5 && hasDigit(text[at:end]) && sameLength(parts) {
			add(span{at, end, -1, "recovery-code"})
		}
		at = max(at, end-1)
	}
}

// grouped says whether b is four groups or more of capitals and digits of the same length, as keys of products are.
func grouped(b []byte) bool {
	parts := bytes.Split(b, []byte("-"))
	for _, c := range b {
		if class[c]&(clsUpper|clsDigit) == 0 && c != '-' {
			return false
		}
	}
	return len(parts) >= 4 && hasDigit(b) && !isDigits(bytes.ReplaceAll(b, []byte("-"), nil)) && sameLength(parts)
}

func sameLength(parts [][]byte) bool {
	for _, p := range parts {
		if len(p) != len(parts[0]) || len(p) < 4 || len(p) > 8 {
			return false
		}
	}
	return true
}

// lockWords are what a number opens.
var lockWords = []string{"safe", "door", "gate", "alarm", "garage", "lock", "building", "entrance", "keypad", "elevator", "locker", "tür", "tresor", "tor ", "schloss", "porte", "portail", "coffre", "puerta", "porta", "cassaforte", "deur", "kluis", "drzwi", "brama", "sejf"}

// lockCode finds the number that opens what a sentence names behind the word code.
func lockCode(text []byte, i, n int, add func(span)) {
	if mentions(text[i+n:min(len(text), lineEnd(text, i), i+n+40)], lockWords...) {
		foreign(pin)(text, i, n, add)
	}
}

package redact

import (
	"bytes"
	"strings"
)

// Files, forms and commands give a name and its value as two members of one thing: name: DB_PASSWORD, value: ….
var (
	pairNames  = set(`name key id field header label variable parameter env option property attr setting title param secretname item`)
	pairValues = set(`value val content default text plaintext secretstring parametervalue data stringvalue string body`)
)

// maxMembers is how far apart the two members may stand.
const maxMembers = 300

// paired finds the value of a name that is itself the value of a member.
func paired(text []byte, start, end int, how strength) (value, bool) {
	if !called(text, start) {
		return value{}, false
	}
	low, high := pairAround(text, start, end)
	if v, ok := fieldBelow(text, start, end); ok {
		return v, true
	}
	if v, ok := pairMember(text, end, high, how); ok {
		return v, true
	}
	return pairMember(text, low, start, how)
}

// called says whether the name at i is what a member is called: name="…, key: …, --name …, variable "….
func called(text []byte, i int) bool {
	k := i
	for k > 0 && i-k < maxNameRun && (nameByte(text[k-1]) || among("/:", text[k-1])) {
		k--
	}
	for k > 0 && i-k < maxNameRun+8 && among("\"'` \t=:>\\", text[k-1]) {
		k--
	}
	if k == i || k == 0 || !isWord(text[k-1]) {
		return false
	}
	from := k
	for from > 0 && k-from < 24 && nameByte(text[from-1]) {
		from--
	}
	if i-k == 1 && text[k] == ' ' && text[from] != '-' {
		return false // a word of a sentence
	}
	words := wordsOf(text[from:k])
	return len(words) > 0 && pairNames[words[len(words)-1]]
}

// pairAround is what belongs to the same thing as the name from start to end: an element, an object, an item of a list, a
// command.
func pairAround(text []byte, start, end int) (low, high int) {
	low, high = max(0, start-maxMembers), min(len(text), end+maxMembers)
	flag := bytes.LastIndex(text[low:start], []byte("--"))
	if flag >= 0 && bytes.IndexByte(text[low+flag:start], '\n') < 0 {
		return start, min(lineEnd(text, end), end+maxMembers)
	}
	for k := start; k > low; k-- {
		if c := text[k-1]; c == '{' || c == '<' || c == '}' || beginsItem(text, k-1) {
			low = k
			break
		}
	}
	for k := end; k < high; k++ {
		if c := text[k]; c == '}' || c == '<' && k > end+2 && !hasFold(text[k:], "<value") || c == '\n' && (k+1 < high && text[k+1] == '\n' || beginsItem(text[:high], skipAny(text, k+1, 40, " \t"))) {
			high = k
			break
		}
	}
	return low, high
}

// beginsItem says whether the sign at i begins an item of a list.
func beginsItem(text []byte, i int) bool {
	if i >= len(text) || text[i] != '-' || i+1 < len(text) && text[i+1] != ' ' {
		return false
	}
	for i > 0 && (text[i-1] == ' ' || text[i-1] == '\t') {
		i--
	}
	return i == 0 || text[i-1] == '\n'
}

// pairMember reads the member between low and high that holds a value.
func pairMember(text []byte, low, high int, how strength) (value, bool) {
	for k := low; k < high; k++ {
		if !isLetter(text[k]) || k > 0 && isWord(text[k-1]) {
			continue
		}
		stop := k
		for stop < high && nameByte(text[stop]) {
			stop++
		}
		words := wordsOf(text[k:stop])
		if len(words) == 0 || !pairValues[words[len(words)-1]] {
			k = stop
			continue
		}
		at := skipAny(text, stop, 3, "\"'\\")
		sign := skipAny(text, pastAttributes(text, k, at, high), 4, " \t:=>")
		if sign == at || sign >= high {
			k = stop
			continue
		}
		v, ok := readValue(text, sign, value{})
		if b := text[v.start:v.end]; ok && v.end <= high+1 && (literal(b, how) || how == password && len(b) >= 4 && !placeholder(b) && (hasDigit(b) && mixed(b) && !linkish(b) || chaotic(b) || coined(b))) {
			return v, true
		}
		k = stop
	}
	return value{}, false
}

// pastAttributes is the end of the element whose name stands from start to at, or at when it is no element.
func pastAttributes(text []byte, start, at, high int) int {
	if start == 0 || text[start-1] != '<' || at >= high || text[at] != ' ' {
		return at
	}
	if k := bytes.IndexByte(text[at:min(len(text), high+maxNameRun)], '>'); k > 0 {
		return at + k
	}
	return at
}

// fieldBelow reads the value of a part of a form, which stands below its head and a line with nothing on it.
func fieldBelow(text []byte, start, end int) (value, bool) {
	line := lineStart(text, start)
	if !bytes.Contains(bytes.ToLower(text[line:start]), []byte("form-data")) {
		return value{}, false
	}
	at := end
	for range 4 {
		if at = lineEnd(text, at) + 1; at >= len(text) {
			return value{}, false
		}
		if k := skipAny(text, at, 1, "\r"); k < len(text) && text[k] == '\n' {
			v, ok := readValue(text, k+1, value{tight: true})
			b := text[v.start:v.end]
			return v, ok && len(b) >= 6 && !bytes.HasPrefix(b, []byte("--")) && !placeholder(b) && !generic(b) && !statusWords[strings.ToLower(string(b))]
		}
	}
	return value{}, false
}

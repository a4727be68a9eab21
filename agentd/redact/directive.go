package redact

import (
	"bytes"
	"strings"
)

// directiveWords may stand before a name that a line gives a value without a sign: as commands and files of settings do.
var directiveWords = set(`set setenv setx export launchctl config configure aws npm yarn pnpm git gh let define put add option
	declare local readonly global env secrets secret variable variables $ # > - * % pip poetry heroku fly gcloud rem racadm bundle uci nvram`)

// directive reads the value of a line that has nothing but a name and a value, or a command that sets one.
func directive(text []byte, start, at int, how strength) (value, bool) {
	if how == pin || !lastWord(text, at) || !directiveBefore(text, start) {
		return value{}, false
	}
	v, ok := readValue(text, at, value{tight: true})
	if !ok {
		return v, false
	}
	rest := bytes.TrimSpace(text[min(len(text), v.after()):lineEnd(text, v.end)])
	b := text[v.start:v.end]
	if among("*&[({", b[0]) || typeName(b) || len(rest) > 0 && strings.IndexByte("#;/-", rest[0]) < 0 || linkish(b) || ordinal(b) || dateLike(b) || reference(b) && !jumbled(b) {
		return v, false
	}
	switch {
	case hasFold(text[start:], "pass ") && previousUser(text, start):
		return v, true
	case how == weak || hasFold(text[start:], "pass ") || hasFold(text[start:], "secret "):
		return v, strongWord(b) || how == weak && machineMade(b) && !digestLike(b)
	case how == password:
		return v, len(b) >= 6 && hasDigit(b) && mixed(b) && !structured(b)
	}
	return v, how == token && len(b) >= 8 && hasDigit(b)
}

// lastWord says whether a line ends, or options and remarks begin, behind the word at i.
func lastWord(text []byte, i int) bool {
	if text[i] == '"' || text[i] == '\'' {
		return true
	}
	for i < len(text) && text[i] > ' ' {
		i++
	}
	i = skipAny(text, i, 8, " \t\r")
	return i == len(text) || among("\n#;/-", text[i])
}

// previousUser says whether the line before the one at i tells a server the name of a user.
func previousUser(text []byte, i int) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text[bytes.LastIndexByte(text[:max(0, i-1)], '\n')+1:i], "<>CS: "), []byte("USER "))
}

// typeName says whether b is a type of another package, as declarations of Go give it.
func typeName(b []byte) bool {
	dot := bytes.IndexByte(b, '.')
	return dot > 0 && dot+1 < len(b) && identifier(b) && class[b[dot+1]]&clsUpper != 0 && !mixedCase(b[:dot]) && (letters(b[dot+1:]) || versioned(b[dot+1:]) && naming([]byte(strings.TrimLeft(string(b[dot+1:]), "Ed0123456789"))))
}

// after is behind a value and the quote that closes it.
func (v value) after() int {
	if v.quoted {
		return v.end + 1
	}
	return v.end
}

// directiveBefore says whether nothing else stands before the name of a directive.
func directiveBefore(text []byte, start int) bool {
	line := bytes.LastIndexByte(text[max(0, start-200):start], '\n') + 1 + max(0, start-200)
	words := bytes.Fields(text[line:start])
	if len(words) > 6 || line == start-200 {
		return false
	}
	for _, w := range words {
		if !directiveWords[strings.ToLower(string(w))] && w[0] != '-' && !bytes.HasPrefix(w, []byte("//")) {
			return false
		}
	}
	return true
}

// answered goes over a word with a colon that begins an answer.
func answered(text []byte, at int) int {
	stop := at
	for stop < len(text) && stop < at+16 && isLetter(text[stop]) {
		stop++
	}
	if stop > at && stop+1 < len(text) && text[stop] == ':' && text[stop+1] == ' ' {
		return stop + 2
	}
	return at
}

// belowValue reads a value that stands alone on the line below the one that ends at i, where its name, or the
// announcement of it, ends that begins at start.
func belowValue(text []byte, start, i int, how strength) (value, bool) {
	if start > 0 && among("+/=", text[start-1]) || i-start > 32 {
		return value{}, false // in base64
	}
	at := skipAny(text, i, 4, " \t\r:?*_`")
	if at >= len(text) || text[at] != '\n' {
		return value{}, false
	}
	at = skipAny(text, at, 60, " \t\r\n>`*")
	if bytes.Count(text[i:at], []byte("\n")) > 3 {
		return value{}, false
	}
	at = answered(text, at)
	if v, ok := loudWord(text, at, lineEnd(text, at)); ok && how == password {
		return v, true
	}
	v, ok := readValue(text, at, value{prose: true})
	end := lineEnd(text, v.end)
	if !ok || len(bytes.Trim(text[min(end, v.after()):end], " \t\r`*\"'.,")) > 0 {
		return v, false
	}
	b := text[v.start:v.end]
	if k := bytes.IndexByte(b, '='); k > 0 && k < len(b)-2 && letters(b[:k]) || bytes.IndexByte(b, '$') >= 0 && !mixedCase(b) {
		return v, false
	}
	if how == password {
		return v, len(b) >= 6 && (strongWord(append(bytes.Clone(b), "00"...)) && hasDigit(b) || literal(b, how))
	}
	return v, len(b) >= 16 && (strongWord(b) || jumbled(b) && solid(b) || literal(b, how))
}

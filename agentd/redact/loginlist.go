package redact

import (
	"bytes"
	"strings"
)

// listMembers is how many logins of a list are read.
const listMembers = 16

// loginList finds the passwords of a list of logins behind a word that announces one: a/b, c/d.
func loginList(text []byte, i, n int, add func(span)) {
	line := min(lineEnd(text, i), i+n+48)
	k := bytes.IndexByte(text[i:line], ':')
	if k < 0 || i+k < i+n-1 {
		return
	}
	loginMembers(text, skipAny(text, i+k+1, 2, " "), 2, add)
}

// rootList finds the passwords of a list of logins that begins with a user whom every system has.
func rootList(text []byte, i, n int, add func(span)) {
	if i > 0 && !among(" \n(\"'`", text[i-1]) {
		return
	}
	loginMembers(text, i, 2, add)
}

// loginMembers reads the members of a list of names and passwords, of which there must be some, one of them put together as
// passwords are.
func loginMembers(text []byte, at, least int, add func(span)) {
	var found []span
	sign, sure := byte(0), false
	for line := lineEnd(text, at); at < line && len(found) < listMembers; {
		v, by, ok := loginMember(text, at, line)
		if !ok || sign != 0 && by != sign {
			break
		}
		sign = by
		b := text[v.start:v.end]
		sure = sure || composed(b)
		found = append(found, span{v.start, v.end, -1, kindPassword})
		next := skipAny(text, v.end, 3, " ,|;")
		if next == v.end || !bytes.ContainsAny(text[v.end:next], ",|;") && (by != '/' || !coined(b)) {
			break
		}
		at = next
	}
	if len(found) < least || !sure {
		return
	}
	for _, f := range found {
		add(f)
	}
}

// loginMember reads one name, the sign behind it and the password.
func loginMember(text []byte, at, line int) (value, byte, bool) {
	k := at
	for k < line && (isWord(text[k]) || among(".-@", text[k])) {
		k++
	}
	if k == at || k-at > 40 || k >= line || !among(":/", text[k]) || k+1 >= line || among(" /\"'", text[k+1]) {
		return value{}, 0, false
	}
	v := wordAt(text, k+1).emphatic(text)
	b := text[v.start:v.end]
	ok := len(b) >= 4 && !isDigits(b) && !generic(b) && !placeholder(b) && !statusWords[strings.ToLower(string(b))] && !bytes.ContainsAny(b, "/,(){}[]<>=") && !measure(b)
	return v, text[k], ok
}

// behindLogin finds what stands behind ", pw" or ", pass" on a line that names the user before it.
func behindLogin(text []byte, i, n int, add func(span)) {
	v := wordAt(text, i+n).emphatic(text)
	b := text[v.start:v.end]
	low := strings.ToLower(string(b))
	if len(b) < 4 || !endsClause(text, v.end) || v.end < len(text) && text[v.end] == ':' || !userBefore(text, i) || placeholder(b) || generic(b) || statusWords[low] || proseWords[low] || reference(b) || done(b) {
		return
	}
	add(span{v.start, v.end, -1, kindPassword})
}

// spacedValue finds a password of two words or more behind a name that begins its line: word and number.
func spacedValue(text []byte, start, end int, add func(span)) {
	at := skipAny(text, end, 3, " \t\"'")
	if at >= len(text) || !among(":=", text[at]) {
		return
	}
	sign := at
	at = skipAny(text, at+1, 4, " \t")
	stop := lineEnd(text, at)
	head := bytes.TrimLeft(text[lineStart(text, start):start], " \t-•*")
	switch {
	case len(head) == 0 && (text[sign] == '=' || at > sign+1) && bytes.IndexByte(text[end:sign], '"') < 0:
	case text[sign] == '=' && at == sign+1 && start > 0 && among("\"'", text[start-1]):
		k := bytes.IndexByte(text[at:stop], text[start-1])
		if k < 0 {
			return
		}
		stop = at + k
	default:
		return
	}
	b := bytes.TrimRight(text[at:stop], " \t\r")
	if severalWords(b, text[sign] == '=' && len(head) > 0) {
		add(span{at, at + len(b), -1, kindPassword})
	}
}

// severalWords says whether b is two words or three that people make a password of: the last one a number, or in quotes.
func severalWords(b []byte, quoted bool) bool {
	words := strings.Fields(string(b))
	if len(b) > 48 || len(words) < 2 || len(words) > 4 || placeholder(b) || bytes.ContainsAny(b, "\"'`(){}[]<>:;,/\\|=$%#@") {
		return false
	}
	for k, w := range words {
		low := strings.ToLower(w)
		if statusWords[low] || proseWords[low] || genericValue[low] || aboutWords[low] || countWords[low] || stopWords[low] || isCopula([]byte(w)) {
			return false
		}
		if k < len(words)-1 && (len(w) < 4 || hasDigit([]byte(w))) {
			return false
		}
	}
	last := words[len(words)-1]
	return quoted || hasDigit([]byte(last)) && len(last) <= 6 && (len(last) < 4 || !strings.HasPrefix(last, "20"))
}

// countWords stand before a number that counts something.
var countWords = set(`minimum maximum version page level type option step length seite step line chapter section port code error protected part phase table figure rule server windows ubuntu debian row column sheet`)

// foldedPhrase finds the words of a phrase that a block of YAML holds behind the name of a secret.
func foldedPhrase(text []byte, end int, add func(span)) {
	at := skipAny(text, end, 2, "\"'")
	if at+3 >= len(text) || text[at] != ':' || text[at+1] != ' ' || !among(">|", text[at+2]) {
		return
	}
	at = skipAny(text, at+3, 2, "+-")
	if at >= len(text) || text[at] != '\n' {
		return
	}
	start := skipAny(text, at+1, 40, " \t")
	b := bytes.TrimRight(text[start:lineEnd(text, start)], " \t\r")
	if start > at+1 && bytes.Count(b, []byte(" ")) >= 2 && passphrase(b) {
		add(span{start, start + len(b), -1, kindPassword})
	}
}

// inBraces finds the password of a connection string that stands in braces, with or without something behind them.
func inBraces(text []byte, i, n int, add func(span)) {
	if i == 0 || text[i-1] != ';' {
		return
	}
	stop := i + n
	for stop < len(text) && stop < i+maxQuoted && text[stop] > ' ' && !among(";\"'`", text[stop]) {
		stop++
	}
	if b := text[i+n : stop]; len(b) >= 5 && !bytes.HasPrefix(b, []byte("{")) && bytes.IndexByte(b, '}') > 0 && !identifier(bytes.Trim(b, "{}")) {
		add(span{i + n - 1, stop, -1, kindConnection})
	}
}

// percentPassword finds the password of a connection string that a URL holds.
func percentPassword(text []byte, i, n int, add func(span)) {
	start, stop := i+n, i+n
	for stop < len(text) && stop < start+maxQuoted && text[stop] > ' ' && !among("\"'`&<>;", text[stop]) && !hasFold(text[stop:], "%3b") && !hasFold(text[stop:], "%26") && !hasFold(text[stop:], "%22") {
		stop++
	}
	if b := text[start:stop]; len(b) >= 4 && !placeholder(b) && !hasFold(b, "%24") && !hasFold(b, "%7b%7b") && !hasFold(b, "%3c") && !generic(b) {
		add(span{start, stop, -1, kindConnection})
	}
}

// ofFile finds the key of thirty-two digits on the line below the name of the file that holds it.
func ofFile(text []byte, i, n int, add func(span)) {
	for start, k := lineEnd(text, i+n)+1, 0; k < 2 && start < len(text); k++ {
		b := bytes.TrimSpace(text[start:lineEnd(text, start)])
		if len(b) == 32 && digitsAt(b, 0) == 32 {
			at := start + bytes.Index(text[start:], b)
			add(span{at, at + 32, -1, kindToken})
			return
		}
		start = lineEnd(text, start) + 1
	}
}

// inQuotes finds what stands in quotes right behind a word that only secrets stand behind.
func inQuotes(text []byte, i, n int, add func(span)) {
	v, ok := readValue(text, i+n-1, value{})
	if b := text[v.start:v.end]; ok && v.quoted && len(b) >= 4 && !placeholder(b) {
		add(span{v.start, v.end, -1, kindPassword})
	}
}

package redact

import (
	"bytes"
	"strings"
)

// contextKinds are given for where something stands, not for its form.
var contextKinds = map[string]bool{kindPassword: true, kindToken: true, "high-entropy": true, "authorization": true, "cookie": true, kindVendor: true}

const (
	kindToken  = "token"
	kindVendor = "vendor-credential"
	maxNameRun = 80  // bytes of a name that are read
	maxQuoted  = 512 // bytes of a value in quotes
)

// value is what a name is said to be.
type value struct {
	start, end int
	quoted     bool
	comma      bool // an argument behind another
	tight      bool // an equals sign without spaces
	prose      bool // said in a sentence
	whole      bool // nothing else stands on the line
	flag       bool // an option of a command
}

// assignment finds the value that follows a name of something secret: in code, configuration, URLs, forms, sentences.
func assignment(text []byte, i, n int, add func(span)) {
	start, end := nameAround(text, i, i+n)
	name := text[start:end]
	how := strengthWith(text, start, end)
	if how == nothing || inName(text, start) || about(text, end) {
		return
	}
	if how == password {
		wordPhrase(text, end, add)
		if v, ok := groupedPassword(text, end); ok {
			add(span{v.start, v.end, -1, kindPassword})
			return
		}
	}
	if how == pin || how == token || how == weak {
		if v, ok := groupedSeed(text, end); ok {
			add(span{v.start, v.end, -1, "totp"})
			return
		}
	}
	v, ok := describedValue(text, end)
	if !ok && how >= token {
		v, ok = markedUp(text, end)
	}
	if !ok {
		v, ok = elementText(text, start, end)
	}
	if !ok {
		v, ok = valueAfter(text, start, end, how)
	}
	if ok && judge(text, name, how, v, add) || how == loose {
		return
	}
	if v, ok := roundabout(text, start, end, how); ok {
		v = v.emphatic(text)
		add(span{v.start, v.end, -1, how.kind()})
	}
	column(text, start, end, how, add)
}

// roundabout finds the value of a name that no sign behind it gives.
func roundabout(text []byte, start, end int, how strength) (value, bool) {
	if v, ok := paired(text, start, end, how); ok {
		return v, ok
	}
	if how == pin {
		return saidBefore(text, start, how)
	}
	if how < token {
		return value{}, false
	}
	if v, ok := glued(text, end, how); ok {
		return v, ok
	}
	if v, ok := answeredBelow(text, end, how); ok {
		return v, ok
	}
	return saidBefore(text, start, how)
}

// aboutWords make of a name that of something about a secret.
var aboutWords = set(`fingerprint fingerprints thumbprint method length lengths size count counts limit limits type types policy policies hint hints url uri name names arn expiry ttl format strength
	rule rules field fields prompt label labels version manager requirements lifetime usage budget rotation complexity history endpoint validity expires expired`)

// about says whether the word behind the name that ends at i shows that what follows is no secret but about one.
func about(text []byte, i int) bool {
	if i+2 >= len(text) || text[i] != ' ' || !isLetter(text[i+1]) {
		return false
	}
	stop := i + 1
	for stop < len(text) && stop < i+14 && isLetter(text[stop]) {
		stop++
	}
	if stop < len(text) && text[stop] == '=' {
		return false // an attribute
	}
	var small [14]byte
	for k, c := range text[i+1 : stop] {
		small[k] = c | 0x20
	}
	return aboutWords[string(small[:stop-i-1])]
}

// shortName is assignment for a name of two letters with its sign: it must be a name of its own, or end a short one.
func shortName(text []byte, i, n int, add func(span)) {
	start, end := nameAround(text, i, i+n-1)
	if end-start > 24 || hasDigit(text[start:end]) || start > 1 && end-start < 6 && among("+/=", text[start-1]) && class[text[start-2]]&clsBase64 != 0 {
		return // in base64
	}
	assignment(text, i, n-1, add)
}

// inName says whether what ends at i is the name of a resource of a cloud, whose parts have colons between them.
func inName(text []byte, i int) bool {
	if i == 0 || text[i-1] != ':' {
		return false
	}
	if i > 3 && hasFold(text[i-4:], "did:") {
		return true
	}
	low := max(0, i-160)
	for k := i; k > low && text[k-1] > ' ' && text[k-1] != '"' && text[k-1] != '\''; k-- {
		if hasFold(text[k-1:], "arn:") || bytes.HasPrefix(text[k-1:], []byte("AWS::")) {
			return true
		}
	}
	return false
}

// foreign is assignment for words of scripts that put no spaces between words, or inflect them.
func foreign(how strength) finder {
	return func(text []byte, i, n int, add func(span)) {
		for k := 0; k < 3 && i+n < len(text) && isLetter(text[i+n]); k++ {
			n++ // an ending
		}
		v, ok := acrossScript(text, i+n, how)
		if !ok {
			v, ok = valueAfter(text, i, i+n, how)
		}
		if !ok {
			v, ok = particleValue(text, i+n)
		}
		if ok && judge(text, text[i:i+n], how, v, add) {
			return
		}
		if v, ok := roundabout(text, i, i+n, how); ok {
			v = v.emphatic(text)
			add(span{v.start, v.end, -1, how.kind()})
		}
		column(text, i, i+n, how, add)
	}
}

// nameAround is the name of which a keyword is a part.
func nameAround(text []byte, start, end int) (int, int) {
	low, high := max(0, start-maxNameRun), min(len(text), end+maxNameRun)
	for start > low && nameByte(text[start-1]) {
		start--
	}
	for end < high && nameByte(text[end]) {
		end++
	}
	for end > start && (text[end-1] == '.' || text[end-1] == '-') {
		end--
	}
	for start < end && (text[start] == '-' || text[start] == '.') {
		start++
	}
	return start, end
}

func nameByte(c byte) bool { return isWord(c) || c == '-' || c == '.' || c >= 0x80 }

// wordedValue reads a value behind a name and a space: of an option, of SQL, of a sentence.
func wordedValue(text []byte, start, at int, how strength) (value, bool) {
	if flagged(text, start) {
		return readValue(text, at, value{flag: true})
	}
	if text[at] == '\'' || text[at] == '"' || text[at] == '`' {
		return readValue(text, at, value{prose: true})
	}
	if netrc(text, start) {
		return readValue(text, at, value{tight: true})
	}
	if k := typedAssignment(text, at); k > 0 {
		return readValue(text, skipAny(text, k, 4, " \t"), value{})
	}
	if v := wordAt(text, at); v.end > at && how == password && (strongWord(text[at:v.end]) || digestLike(text[at:v.end]) && v.end-at >= 32 || closing(text, v) && v.end-at >= 10 && literal(text[at:v.end], how)) {
		return v, true
	}
	if v := wordAt(text, at); v.end > at && how == password && hasFold(text[v.end:], " olarak") && coined(text[at:v.end]) {
		return v, true
	}
	if how == pin && hasFold(text[at:], "code of ") {
		return value{}, false // of a place
	}
	line := lineEnd(text, at)
	for k := at; k < line && k < at+60; {
		stop := k
		for stop < line && text[stop] > ' ' && text[stop] != ':' {
			stop++
		}
		if stop < line && isCopula(text[k:stop]) {
			from := skipFillers(text, skipAny(text, stop, 4, " \t:"), line)
			v, ok := readValue(text, from, value{prose: true})
			if b := text[v.start:v.end]; ok && (v.quoted || mixed(b) && !letters(b) || how == pin && len(b) >= 4 && isPin(b)) {
				return v, true
			}
		}
		if stop < line && text[stop] == ':' && (stop > k && !isDigits(text[k:stop]) && !bytes.ContainsAny(text[k:stop], "=") || stop == k && k > at && text[k-1] == ' ') {
			return readValue(text, skipAny(text, stop, 3, ": \t"), value{prose: true})
		}
		k = skipAny(text, max(stop, k+1), 3, " \t")
	}
	if how == password {
		return saidPassword(text, at)
	}
	return value{}, false
}

// closing says whether a value ends its line, or its part of it.
func closing(text []byte, v value) bool {
	k := skipAny(text, v.end, 3, " \t\r.")
	return k >= len(text) || among("\n,;|&#", text[k])
}

// netrc says whether the name at i stands in a line of a netrc file, or of a server's configuration that gives nothing
// but a name and a value.
func netrc(text []byte, i int) bool {
	line := lineStart(text, i)
	before := bytes.ToLower(text[line:i])
	if bytes.Contains(before, []byte("login ")) && !bytes.HasSuffix(before, []byte("login ")) || bytes.Contains(before, []byte("machine ")) || bytes.HasSuffix(before, []byte("config set ")) || bytes.HasPrefix(bytes.TrimSpace(before), []byte("user ")) && len(bytes.Fields(before)) == 2 {
		return true
	}
	low := bytes.ToLower(text[i:min(len(text), i+12)])
	return len(bytes.TrimSpace(before)) == 0 && (bytes.HasPrefix(low, []byte("requirepass")) || bytes.HasPrefix(low, []byte("masterauth")) || bytes.HasPrefix(low, []byte("password ")) && previousLogin(text[:line]))
}

func previousLogin(before []byte) bool {
	tail := bytes.ToLower(before[max(0, len(before)-80):])
	return bytes.Contains(tail, []byte("login ")) || bytes.Contains(tail, []byte("machine ")) || bytes.Contains(tail, []byte("\nuser "))
}

// describedValue reads the value of a pair that is written as two: name: "DB_PASSWORD", value: "…".
func describedValue(text []byte, i int) (value, bool) {
	at := skipAny(text, i, 3, "\"'\\")
	at = skipAny(text, at, 60, " \t\r\n,;\\/>{")
	at = skipAny(text, at, 2, "\"'<-")
	at = skipAny(text, at, 2, " ")
	for _, w := range []string{"value", "val", "content", "default"} {
		if !hasFold(text[at:], w) {
			continue
		}
		k := skipAny(text, at+len(w), 3, "\"'\\")
		k = skipAny(text, k, 3, " \t")
		if k < len(text) && strings.IndexByte(":=>", text[k]) >= 0 {
			return readValue(text, skipAny(text, k+1, 4, " \t"), value{})
		}
	}
	return value{}, false
}

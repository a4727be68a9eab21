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
	listValues(text, start, end, add)
	if how == nothing || inName(text, start) || about(text, end) || outcome(text, start, end) || catalogued(text, end) {
		return
	}
	if how == password || how == token {
		foldedPhrase(text, end, add)
	}
	if how == password {
		spacedValue(text, start, end, add)
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
	if how >= weak && how != pin {
		if v, ok := byteList(text, end); ok {
			add(span{v.start, v.end, -1, kindToken})
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
	if ok && !hashed(text, end, v) && judge(text, name, how, v, add) || how == loose {
		return
	}
	if v, ok := roundabout(text, start, end, how); ok && !hashed(text, end, v) {
		v = v.emphatic(text)
		add(span{v.start, v.end, -1, how.kind()})
	}
	column(text, start, end, how, add)
}

// hashed says whether what stands between a name that ends at i and a value calls it the digest of the thing of that name.
func hashed(text []byte, i int, v value) bool {
	return v.start > i && v.start-i <= 2*maxMembers && digestLike(text[v.start:v.end]) && v.end-v.start >= 32 && mentions(text[i:v.start], `"hashes":`, `"hashes" :`, `"alg":"sha-`, `"alg": "sha-`, `"alg":"md5`, `"alg": "md5`)
}

// outcome says whether the name is the result of a test, --- PASS: …, or says with what something was signed.
func outcome(text []byte, start, end int) bool {
	return bytes.HasSuffix(text[:start], []byte("signature from minisign secret ")) || bytes.Equal(text[start:end], []byte("PASS")) && start >= 4 && bytes.Equal(text[start-4:start], []byte("--- "))
}

// roundabout finds the value of a name that no sign behind it gives.
func roundabout(text []byte, start, end int, how strength) (value, bool) {
	if v, ok := paired(text, start, end, how); ok {
		return v, ok
	}
	if v, ok := keyedBefore(text, start, how); ok {
		return v, ok
	}
	if v, ok := registryValue(text, start, end, how); ok {
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
	if v, ok := behindUser(text, end, how); ok {
		return v, ok
	}
	if v, ok := answeredBelow(text, end, how); ok {
		return v, ok
	}
	return saidBefore(text, start, how)
}

// shortName is assignment for a name of two letters with its sign: it must be a name of its own, or end a short one.
func shortName(text []byte, i, n int, add func(span)) {
	start, end := nameAround(text, i, i+n-1)
	if end-start > 24 || hasDigit(text[start:end]) || start > 1 && end-start < 6 && among("+/=", text[start-1]) && class[text[start-2]]&clsBase64 != 0 {
		return // in base64
	}
	assignment(text, i, n-1, add)
}

// foreign is assignment for words of scripts that put no spaces between words, or inflect them.
func foreign(how strength) finder {
	return func(text []byte, i, n int, add func(span)) {
		for k := 0; k < 3 && i+n < len(text) && isLetter(text[i+n]); k++ {
			n++ // an ending
		}
		if v, ok := groupedSeed(text, i+n); ok && how == token {
			add(span{v.start, v.end, -1, "totp"})
			return
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

// describedValue reads the value of a pair that is written as two: name: "DB_PASSWORD", value: "…".
func describedValue(text []byte, i int) (value, bool) {
	at := skipAny(text, i, 3, "\"'\\")
	at = skipAny(text, at, 1, ":")
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

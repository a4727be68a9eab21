package redact

import (
	"bytes"
	"strings"
)

// maxGlue is how far behind its name a literal is looked for on the same line.
const maxGlue = 200

// glueNames are members and arguments that hold the value itself.
var glueNames = set(`default value val fallback defaultvalue default_value initial content text data lit`)

// glued finds the literal that a line gives to a name when more than a sign stands between them: a type, a call, what is
// taken when nothing else is set. Only what can be nothing but a secret counts.
func glued(text []byte, end int, how strength) (value, bool) {
	limit := min(lineEnd(text, end), end+maxGlue)
	at := skipAny(text, end, 4, "\"'`]\\")
	if k := skipAny(text, at, 6, " :=(["); k == limit && k > at && among("([", text[k-1]) && limit < len(text) { // it goes on below
		limit = min(lineEnd(text, limit+1), end+maxGlue)
	}
	for k := at; k < limit; k++ {
		switch c := text[k]; {
		case c == ';' && !bytes.Contains(text[k:limit], []byte("} =")):
			return value{}, false
		case c != '"' && c != '\'' && (c != '`' || !among("=:( ", text[k-1])):
			continue
		}
		v, ok := readValue(text, k, value{})
		if !ok || !v.quoted || v.end > limit || otherMember(text[at:k]) {
			return value{}, false
		}
		if b := text[v.start:v.end]; len(b) > 4 && bytes.HasPrefix(b, []byte(`\"`)) {
			v.start, v.end = v.start+2, v.end-len(b)+len(bytes.TrimSuffix(b, []byte(`\"`)))
		}
		if b := text[v.start:v.end]; (literal(b, how) || how == password && coalesced(text, k) && coined(b)) && (hasDigit(b) || !listed(text, end, k)) {
			return v, true
		}
		k = v.end
	}
	return value{}, false
}

// typing are functions of tests and scripts that type a text into the field that was named before.
var typing = []string{"sendkeys(", "send_keys(", ".type(", ".fill(", ".val(", "setvalue(", "set_value(", "entertext(", "typetext("}

// coalesced says whether what stands before i takes what follows when there is nothing else, or types it.
func coalesced(text []byte, i int) bool {
	for _, t := range typing {
		if i >= len(t) && hasFold(text[i-len(t):], t) {
			return true
		}
	}
	before := bytes.TrimRight(text[max(0, i-6):i], " @")
	return bytes.HasSuffix(before, []byte("??")) || bytes.HasSuffix(before, []byte("||")) || bytes.HasSuffix(before, []byte(" or")) || bytes.HasSuffix(before, []byte("?:"))
}

// listed says whether the name that ends at i is a text in a list, and the one at k another of its members.
func listed(text []byte, i, k int) bool {
	return i < k && among("\"'`", text[i]) && bytes.IndexByte(text[i:k], ',') >= 0
}

// elementText is what an element with attributes holds whose name ends at i.
func elementText(text []byte, start, end int) (value, bool) {
	if start == 0 || end >= len(text) || text[end] != ' ' || !among("<:", text[start-1]) || !tagName(text, start) {
		return value{}, false
	}
	limit := min(lineEnd(text, end), end+maxGlue)
	k := bytes.IndexByte(text[end:limit], '>')
	if k < 1 || text[end+k-1] == '/' || text[end+k-1] == '-' {
		return value{}, false
	}
	v, ok := readValue(text, end+k+1, value{})
	return v, ok && v.end < len(text) && text[v.end] == '<'
}

// otherMember says whether glue ends with the name of another member, and its sign.
func otherMember(glue []byte) bool {
	g := bytes.TrimRight(glue, " \t@$bfrNLu<\\")
	if len(g) == 0 || g[len(g)-1] != ':' && g[len(g)-1] != '=' && g[len(g)-1] != '>' {
		return false
	}
	g = bytes.TrimRight(g, ":=> \t\"'`\\")
	from := len(g)
	for from > 0 && nameByte(g[from-1]) {
		from--
	}
	name := g[from:]
	before := bytes.TrimRight(g[:from], " \t")
	if len(name) == 0 || glueNames[strings.ToLower(string(name))] || len(before) == 0 {
		return false
	}
	return among(",({\"'`", before[len(before)-1])
}

// versioned says whether b is words with one number among them: the name of something in its second version.
func versioned(b []byte) bool {
	rows, long := 0, false
	for i, c := range b {
		if isDigit(c) && (i == 0 || !isDigit(b[i-1])) {
			rows++
		}
	}
	for _, w := range wordsOf(bytes.Trim(b, ".#")) {
		w = strings.TrimRight(w, "0123456789")
		long = long || len(w) >= 7 && letters([]byte(w)) && wordy([]byte(w))
	}
	return rows == 1 && long && len(b) <= 32
}

// literal says whether a text that somebody put beside the name of a secret can be nothing else: no word, no name, no
// sentence.
func literal(b []byte, how strength) bool {
	if len(b) < 8 || len(b) > maxQuoted || placeholder(b) || linkish(b) || dateLike(b) || ordinal(b) || bytes.ContainsAny(b, " ()<>[]{}|,;\\\"`") || b[0] >= 0x80 || among(".:/", b[0]) && !mixedCase(b) {
		return false
	}
	if named(b) || how != password && versioned(b) {
		return false
	}
	if !hasDigit(b) {
		return jumbled(b) || how == password && chaotic(b) && !naming(b)
	}
	switch {
	case strongWord(b), machineMade(b):
		return true
	case how == password:
		_, loud := loudWord(b, 0, len(b))
		return loud || hasDigit(b) && mixed(b) && !structured(b) && !wordy(b) && !digestLike(b) && !bytes.ContainsAny(b, "/:")
	}
	return how >= token && (digestLike(b) && len(b) >= 24 || len(b) >= 16 && hasDigit(b) && randomish(b) && !structured(b) && !reference(b) && !hexNumber(b))
}

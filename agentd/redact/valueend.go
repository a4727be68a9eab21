package redact

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// readValue finds where the value at i ends.
func readValue(text []byte, i int, v value) (value, bool) {
	if i+1 < len(text) && strings.IndexByte("fFbBrRuULN@$", text[i]) >= 0 && (text[i+1] == '"' || text[i+1] == '\'') {
		i++
	}
	if i >= len(text) {
		return v, false
	}
	if open, stop := quoteAt(text, i); open > 0 {
		v.start, v.quoted = i+open, true
		if v.end = quotedEnd(text, v.start, stop); v.end < 0 {
			v.quoted = false
			v.start = skipAny(text, v.start, 3, " \t")
			v.end = bareEnd(text, v.start, v)
		}
		if text[i] >= 0x80 { // French puts blanks within its quotes
			inner := bytes.Trim(text[v.start:v.end], " \u00a0\u202f")
			v.start += bytes.Index(text[v.start:v.end], inner)
			v.end = v.start + len(inner)
		}
		return v, v.end > v.start
	}
	v.start, v.end = i, bareEnd(text, i, v)
	v.whole = len(bytes.TrimSpace(text[v.end:lineEnd(text, v.end)])) == 0
	return v, v.end > v.start
}

var quotePairs = []struct{ open, stop string }{
	{`\\\"`, `\\\"`},
	{`\"`, `\"`},
	{`\'`, `\'`},
	{`"""`, `"""`},
	{`'''`, `'''`},
	{`"`, `"`},
	{`'`, `'`},
	{"`", "`"},
	{"“", "”"},
	{"„", "“"},
	{"‘", "’"},
	{"«", "»"},
	{"「", "」"},
	{"&quot;", "&quot;"},
	{"&#34;", "&#34;"},
	{"&#39;", "&#39;"},
	{`\u0022`, `\u0022`},
	{"%22", "%22"},
	{"**", "**"},
	{"<![CDATA[", "]]>"},
}

// quoteAt is the length of the opening quote at i, and how it closes.
func quoteAt(text []byte, i int) (int, string) {
	for _, q := range quotePairs {
		if text[i] == q.open[0] && bytes.HasPrefix(text[i:], []byte(q.open)) && (q.open != "**" || i+2 >= len(text) || text[i+2] != '*') {
			return len(q.open), q.stop
		}
	}
	return 0, ""
}

func quotedEnd(text []byte, i int, stop string) int {
	limit := min(len(text), i+maxQuoted)
	for k := i; k < limit; k++ {
		switch {
		case text[k] == stop[0] && bytes.HasPrefix(text[k:], []byte(stop)):
			return k
		case text[k] == '\n' && (len(stop) != 3 || k > i+maxNameRun):
			return -1
		case text[k] == '\\' && len(stop) == 1:
			k++
		}
	}
	return -1
}

// bareEnd is where an unquoted value ends.
func bareEnd(text []byte, i int, v value) int {
	limit := min(len(text), i+maxForm)
	k := i
	for ; k < limit; k++ {
		c := text[k]
		if c <= ' ' || c == '"' || c == '`' || c == '<' || c == '\'' && k > i || c == '>' && k > i || c == '|' {
			break
		}
		if c == '\\' && k+1 < limit && strings.IndexByte(`nrt"'\`, text[k+1]) >= 0 {
			break
		}
		if (c == '&' || c == ';' || c == ',') && (k+1 >= limit || endsPair(text[k+1:min(limit, k+40)]) || c == ',' && letters(text[i:k]) && nextMember(text[k+1:min(limit, k+40)])) {
			break
		}
		if c == '&' && hasFold(text[k:], "&lt;") {
			break
		}
		if c >= 0x80 && invisible(text[k:]) > 0 {
			break
		}
	}
	for k > i && strings.IndexByte(".,;:)]}!?", text[k-1]) >= 0 {
		last := text[k-1]
		if (last == '!' || last == '?') && (!v.prose || k < len(text) && text[k] > ' ') || unbalanced(text[i:k], last) {
			break
		}
		k--
	}
	for k > i && text[k-1] >= 0x80 {
		r, n := utf8.DecodeLastRune(text[i:k])
		if !strings.ContainsRune("。，；、」』”’»！？）", r) {
			break
		}
		k -= n
	}
	return k
}

// unbalanced says whether a closing bracket belongs to the value, as its opening one does.
func unbalanced(v []byte, closing byte) bool {
	switch closing {
	case ')':
		return bytes.Count(v, []byte("(")) >= bytes.Count(v, []byte(")"))
	case ']':
		return bytes.Count(v, []byte("[")) >= bytes.Count(v, []byte("]"))
	case '}':
		return bytes.Count(v, []byte("{")) >= bytes.Count(v, []byte("}"))
	}
	return false
}

// endsPair says whether what stands behind a separator begins something else: a space, a quote, another name and sign.
func endsPair(b []byte) bool {
	if b[0] <= ' ' || b[0] == '"' || b[0] == '\'' || b[0] == '\\' || b[0] == '}' || b[0] == ')' {
		return true
	}
	if hasFold(b, "amp;") {
		return true
	}
	n := 0
	for n < len(b) && (isWord(b[n]) || b[n] == ' ' || b[n] == '-' || b[n] == '.') {
		n++
	}
	return n > 0 && n < len(b) && b[n] == '=' && !isDigit(b[0])
}

// nextMember says whether b begins with a name and a colon, as the next member of an object does.
func nextMember(b []byte) bool {
	n := 0
	for n < len(b) && isWord(b[n]) {
		n++
	}
	return n > 0 && n < len(b) && b[n] == ':'
}

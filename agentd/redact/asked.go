package redact

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// counters are the words for characters behind a number, in scripts that put no blanks between words.
var counters = []string{"文字", "位", "桁", "字符", "个字符", "個字元", "자리", "자"}

// lengthRule says whether b tells how long a password is to be, in a script without blanks: 8文字以上.
func lengthRule(b []byte) bool {
	at := bytes.IndexFunc(b, unicode.IsDigit)
	if at < 0 || bytes.ContainsFunc(b[:at], func(r rune) bool { return r < 0x80 }) {
		return false
	}
	for r, n := utf8.DecodeRune(b[at:]); n > 0 && strings.ContainsRune("0123456789-~～〜到至", r); r, n = utf8.DecodeRune(b[at:]) {
		at += n
	}
	for _, c := range counters {
		if rest, ok := bytes.CutPrefix(b[at:], []byte(c)); ok {
			return !bytes.ContainsFunc(rest, func(r rune) bool { return r < 0x80 && r != ',' && !unicode.IsDigit(r) })
		}
	}
	return false
}

// leadsOn says whether v is a word of small letters with which a sentence begins: a short word of its script follows, or
// many more do. Two short words say what a password is for: ромашка от почты.
func leadsOn(text []byte, v value) bool {
	if v.end >= len(text) || text[v.end] != ' ' || bytes.ContainsFunc(text[v.start:v.end], func(r rune) bool { return !unicode.IsLower(r) }) {
		return false
	}
	words := bytes.Fields(text[v.end:min(lineEnd(text, v.end), v.end+maxClause)])
	return len(words) >= 4 || len(words) > 0 && words[0][0] >= 0x80 && utf8.RuneCount(words[0]) <= 2 && string(words[0]) != "от" && string(words[0]) != "к"
}

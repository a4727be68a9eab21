package policy

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Taint says whether content from outside may stand behind a call.
type Taint int

// The degrees of taint, from none on.
const (
	Clean   Taint = iota // nothing from outside was read
	Named                // something was, but the owner named everyone outside whom this call reaches
	Tainted              // something was
)

// Source is where content from outside came from.
type Source struct {
	Source string `json:"source"` // "mail from x@y", "http_request", …
	ID     string `json:"id"`     // of the message, or of the call that brought it in
}

// TaintOf is the taint of a call that reaches these recipients outside, behind content from these sources. request is
// what the owner wrote; empty when the owner did not write it.
func TaintOf(sources []Source, outside []string, request string) Taint {
	switch {
	case len(sources) == 0:
		return Clean
	case len(outside) > 0 && Names(request, outside):
		return Named
	}
	return Tainted
}

// Names says whether a text names each of these recipients: as a whole word, regardless of case and of how it is
// encoded in Unicode.
func Names(text string, recipients []string) bool {
	text = fold(text)
	for _, r := range recipients {
		if r = fold(r); r == "" || !stands(text, r) {
			return false
		}
	}
	return true
}

// stands says whether word stands in text with nothing around it that would make it another address or host.
func stands(text, word string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		if !joinsBefore(text[:at]) && !joinsBehind(text[at+len(word):]) {
			return true
		}
		from = at + 1
	}
}

// joinsBefore says whether the end of s would be part of an address that goes on behind it.
func joinsBefore(s string) bool {
	if s == "" || strings.HasSuffix(s, "//") {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune(".@!#$%&*+-/=?^_`{|}~", r)
}

// joinsBehind says whether the start of s would be part of an address that began before it. A full stop at the end of
// a sentence does not.
func joinsBehind(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	if s == "" {
		return false
	}
	if strings.ContainsRune(".-:@", r) {
		next, _ := utf8.DecodeRuneInString(s[n:])
		return unicode.IsLetter(next) || unicode.IsDigit(next)
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
}

func fold(s string) string { return cases.Fold().String(norm.NFKC.String(s)) }

// taintWhy is why a call of this tier is asked in a tainted run.
func taintWhy(t Tier) string {
	const behind = ", and content from outside stands behind it"
	switch t {
	case Red:
		return "it removes something" + behind
	case YellowExternal:
		return "it reaches someone whom the owner did not name" + behind
	}
	return "it changes something" + behind
}

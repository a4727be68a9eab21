package egress

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// span is a part of a text. The expressions of this package are wide, and a message is mostly words: looking only where
// something can stand saves nearly all of the work.
type span struct{ from, to int }

// widen adds a part to those before it, joined where they touch, and cut between letters.
func widen(all []span, s string, p span) []span {
	p = span{max(0, p.from), min(len(s), p.to)}
	for p.from > 0 && !utf8.RuneStart(s[p.from]) {
		p.from--
	}
	for p.to < len(s) && !utf8.RuneStart(s[p.to]) {
		p.to++
	}
	if n := len(all); n > 0 && p.from <= all[n-1].to {
		all[n-1].to = max(all[n-1].to, p.to)
		return all
	}
	return append(all, p)
}

// whole gives a part of a text that is cut between letters.
func whole(s string, p span) string {
	p = widen(nil, s, p)[0]
	return s[p.from:p.to]
}

// parts gives what stands around the words of a topic, in order.
func (m *message) parts(of topic, before, behind int) (all []span) {
	for _, h := range m.about(of) {
		all = widen(all, m.text, span{h.from - before, h.to + behind})
	}
	return all
}

// illnesses are the plain beginnings of the words that healths looks for.
var illnesses = sync.OnceValue(func() (all []string) {
	list := strings.TrimSuffix(strings.TrimPrefix(condition, "(?:"), ")") + "|" + labValue + "|" + medicine
	for word := range strings.SplitSeq(list, "|") {
		if h := strings.ToLower(head(word)); len(h) >= shortestStem {
			all = append(all, h)
		}
	}
	return shortest(all)
})

// head is what an expression begins with, up to its first sign that is no letter. A letter that may be missing is none.
func head(word string) string {
	n := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != ' ' && r != '-' })
	if n < 0 {
		return word
	}
	if word[n] == '?' || word[n] == '*' {
		_, size := utf8.DecodeLastRuneInString(word[:n])
		n -= size
	}
	return word[:n]
}

// shortest drops what begins like another.
func shortest(all []string) (kept []string) {
	for i, w := range all {
		covered := false
		for j, v := range all {
			covered = covered || i != j && strings.HasPrefix(w, v) && (v != w || j < i)
		}
		if !covered {
			kept = append(kept, w)
		}
	}
	return kept
}

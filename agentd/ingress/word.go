package ingress

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/agentd/lazyre"
)

// word is one word of a folded text and what it can mean.
type word struct {
	at     int // counted in words; the end of a sentence or line adds some, so that rules span them unwillingly
	from   int // byte offset in the folded text
	means  concept
	quoted bool
	text   string // folded, in lower case
}

// words reads a folded text.
func words(s string) []word {
	places := spans(s)
	inQuotes := quoted(s)
	var all []word
	at, end := 0, 0
	for _, p := range places {
		at += 1 + gap(s[min(end, p.from):p.from])
		for len(inQuotes) > 0 && inQuotes[0][1] <= p.from {
			inQuotes = inQuotes[1:]
		}
		p.word.text = p.text
		p.at, p.quoted = at, len(inQuotes) > 0 && inQuotes[0][0] <= p.from
		all = append(all, p.word)
		end = p.to
	}
	return phrases(s, all, places)
}

// place is a word and where it ends.
type place struct {
	word
	to   int
	text string // in lower case
}

// spans cuts a text into words; an address or a link is one word.
func spans(s string) (all []place) {
	dest := dests(s)
	for _, m := range parted(s) {
		for len(dest) > 0 && dest[0].to <= m.from {
			all = append(all, dest[0])
			dest = dest[1:]
		}
		if len(dest) > 0 && m.to > dest[0].from {
			continue
		}
		all = append(all, split(s, m.from, m.to)...)
	}
	return append(all, dest...)
}

// split is one word, or many when its script puts no blanks between words.
func split(s string, from, to int) []place {
	text := s[from:to]
	if text == "AI" || text == "LLM" {
		return []place{{word{from: from, means: machine}, to, "\x00ai"}}
	}
	lower := strings.ToLower(text)
	if plainWord(text) {
		return []place{{word{from: from, means: meaning(lower)}, to, lower}}
	}
	if n := len(joint.FindAllString(text, 2)); n == 2 && meaning(lower)&tool == 0 || n == 1 && meaning(lower) == 0 {
		return parts(from, to, text)
	}
	if r, _ := utf8.DecodeRuneInString(lower); !unbroken(r) {
		return []place{{word{from: from, means: meaning(lower)}, to, lower}}
	}
	var all []place
	for _, p := range strings.Fields(segments(lower)) {
		all = append(all, place{word{from: from, means: meaning(p)}, to, p})
	}
	return all
}

// plainWord says whether a word is small Latin letters, but for the first: the most of all words.
func plainWord(s string) bool {
	for i := 1; i < len(s); i++ {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return s[0] < utf8.RuneSelf && s[0] != '_'
}

// joint is where words were written together.
var joint = lazyre.MustCompile(`_|\p{Ll}\p{Lu}`)

// parts reads WordsLikeThis and words_like_this one by one.
func parts(from, to int, text string) (all []place) {
	text = joint.ReplaceAllStringFunc(text, func(m string) string {
		if m == "_" {
			return " "
		}
		r, n := utf8.DecodeRuneInString(m)
		return string(r) + " " + m[n:]
	})
	for _, p := range strings.Fields(strings.ToLower(text)) {
		all = append(all, place{word{from: from, means: meaning(p)}, to, p})
	}
	return all
}

// unbroken names the scripts that put no blanks between words, or decompose into parts of letters.
func unbroken(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Hangul)
}

// gap is how far apart the signs between two words put them.
func gap(between string) int {
	if between == " " || between == ", " {
		return 0
	}
	n := 0
	if strings.Contains(between, "\n\n") {
		n += 5
	} else if strings.Contains(between, "\n") {
		n++
	}
	if stop.MatchString(between) || field.MatchString(between) {
		n += 3
	}
	return min(n, 6)
}

// field ends a value of JSON, a cell of a table or an element of a page.
var field = lazyre.MustCompile(`"\s*[:,\]}]|\||\t|>\s*<|[\])}]\s*[({\[]`)

// stop ends a sentence: a dot inside a name or a path does not.
var stop = lazyre.MustCompile(`[.!?]["'”)]*\s|[。！？]`)

// phrases adds what several words mean together.
func phrases(s string, all []word, places []place) []word {
	x := indexed()
	for i := range all {
		for _, p := range x.phrases[places[i].text] {
			if p.fits(places[i:]) {
				all[i].means |= p.means
			}
		}
		for _, p := range stemPhrases(places[i].text) {
			if p.fits(places[i:]) {
				all[i].means |= p.means
			}
		}
	}
	return all
}

package ingress

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// phrase is several words with one meaning. A word that ends in a star stands for all that begin so.
type phrase struct {
	words []string
	means concept
}

// fits says whether the text goes on as the phrase does.
func (p phrase) fits(text []place) bool {
	if len(text) < len(p.words) {
		return false
	}
	for i, w := range p.words {
		if !same(w, text[i].text) {
			return false
		}
	}
	return true
}

func same(entry, word string) bool {
	if stem, ok := strings.CutSuffix(entry, "*"); ok {
		return strings.HasPrefix(word, stem)
	}
	return entry == word
}

// index is the lexicon by kind of entry, folded as texts are.
type index struct {
	words       map[string]concept
	stems       map[string]concept
	phrases     map[string][]phrase // by first word
	stemPhrases map[string][]phrase // by first word, which is a stem
	longestStem int
}

// indexed builds the index on first use: most processes of this program, such as those of confined tools, scan no text.
var indexed = sync.OnceValue(func() *index {
	x := &index{words: map[string]concept{}, stems: map[string]concept{}, phrases: map[string][]phrase{}, stemPhrases: map[string][]phrase{}}
	for _, l := range lexicon {
		for entry := range strings.SplitSeq(l.words, ",") {
			x.enter(strings.Fields(strings.ToLower(fold(entry))), l.means)
		}
	}
	return x
})

// enter adds one entry of the lexicon.
func (x *index) enter(w []string, means concept) {
	if len(w) == 0 {
		return
	}
	stem, open := strings.CutSuffix(w[0], "*")
	switch {
	case len(w) > 1 && open:
		x.stemPhrases[stem] = append(x.stemPhrases[stem], phrase{w, means})
	case len(w) > 1:
		x.phrases[w[0]] = append(x.phrases[w[0]], phrase{w, means})
	case open:
		x.stems[stem] |= means
	default:
		x.words[w[0]] |= means
	}
	if open {
		x.longestStem = max(x.longestStem, len(stem))
	}
}

// meaning is all that one folded lower-case word can mean.
func meaning(w string) concept {
	x := indexed()
	m := x.words[w]
	for n := min(len(w), x.longestStem); n >= 2; n-- {
		m |= x.stems[w[:n]]
	}
	return m
}

// stemPhrases gives the phrases whose first word is a stem of w.
func stemPhrases(w string) (all []phrase) {
	x := indexed()
	for n := min(len(w), x.longestStem); n >= 2; n-- {
		all = append(all, x.stemPhrases[w[:n]]...)
	}
	return all
}

// segments finds words in letters without blanks: at each place the longest word that means something, and what lies
// between two as one word.
func segments(s string) string {
	var out []string
	rest := 0
	for i := 0; i < len(s); {
		n := longest(s[i:])
		if n == 0 {
			_, n = utf8.DecodeRuneInString(s[i:])
			i += n
			continue
		}
		if i > rest {
			out = append(out, s[rest:i])
		}
		out = append(out, s[i:i+n])
		i += n
		rest = i
	}
	if rest < len(s) {
		out = append(out, s[rest:])
	}
	return strings.Join(out, " ")
}

// longest is the length of the longest entry at the start of s, or 0. Short Latin entries would be found everywhere.
func longest(s string) int {
	x := indexed()
	for n := min(len(s), 60); n >= 2; n-- {
		if n < 3 && s[0] < utf8.RuneSelf {
			return 0
		}
		if _, ok := x.words[s[:n]]; ok {
			return n
		}
		if _, ok := x.stems[s[:n]]; ok {
			return n
		}
	}
	return 0
}

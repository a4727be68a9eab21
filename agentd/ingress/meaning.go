package ingress

import (
	"strings"
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

// The lexicon by kind of entry, folded as texts are.
var (
	wholeWords  = map[string]concept{}
	stems       = map[string]concept{}
	phraseBook  = map[string][]phrase{} // by first word
	phraseStems = map[string][]phrase{} // by first word, which is a stem
	longestStem = 0
)

func init() {
	for _, l := range lexicon {
		for entry := range strings.SplitSeq(l.words, ",") {
			enter(strings.Fields(strings.ToLower(fold(entry))), l.means)
		}
	}
}

// enter files one entry of the lexicon.
func enter(w []string, means concept) {
	if len(w) == 0 {
		return
	}
	stem, open := strings.CutSuffix(w[0], "*")
	switch {
	case len(w) > 1 && open:
		phraseStems[stem] = append(phraseStems[stem], phrase{w, means})
	case len(w) > 1:
		phraseBook[w[0]] = append(phraseBook[w[0]], phrase{w, means})
	case open:
		stems[stem] |= means
	default:
		wholeWords[w[0]] |= means
	}
	if open {
		longestStem = max(longestStem, len(stem))
	}
}

// meaning is all that one folded lower-case word can mean.
func meaning(w string) concept {
	m := wholeWords[w]
	for n := min(len(w), longestStem); n >= 2; n-- {
		m |= stems[w[:n]]
	}
	return m
}

// stemPhrases gives the phrases whose first word is a stem of w.
func stemPhrases(w string) (all []phrase) {
	for n := min(len(w), longestStem); n >= 2; n-- {
		all = append(all, phraseStems[w[:n]]...)
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
	for n := min(len(s), 60); n >= 2; n-- {
		if n < 3 && s[0] < utf8.RuneSelf {
			return 0
		}
		if _, ok := wholeWords[s[:n]]; ok {
			return n
		}
		if _, ok := stems[s[:n]]; ok {
			return n
		}
	}
	return 0
}

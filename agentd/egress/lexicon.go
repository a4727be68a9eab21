package egress

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// topic is what a word speaks of. From firstIdentity on, each number of identityKinds has its own.
type topic int

// The topics that are no number of a state.
const (
	anyIdentity topic = iota // a number of a person, without saying which state gave it
	birthTopic
	illnessTopic
	paperTopic
	payTopic
	numeralTopic
	mirrorTopic
	roadTopic
	bankTopic
	recordTopic
	turnedTopic
	partTopic
	firstIdentity
)

// hit is a word of the lexicon in a text.
type hit struct {
	from, to int
	of       topic
}

// stem is the beginning of words, or a whole word.
type stem struct {
	text    string
	whole   bool
	acronym bool // in capitals, or as the name of a field: in small letters it is a word of some language
	of      topic
}

// lexicon holds stems by their first three bytes.
type lexicon map[[3]byte][]stem

// shortestStem is how long a stem is at least.
const shortestStem = 3

// behindShort are the signs that may stand behind a word of two letters.
const behindShort = " .,;:\n\"'#/-"

// add takes stems, parted by bars; a $ at the end asks for the whole word, capitals for capitals.
func (l lexicon) add(of topic, stems string) {
	for text := range strings.SplitSeq(stems, "|") {
		plain := strings.ToLower(strings.TrimSuffix(text, "$"))
		acronym := plain != strings.TrimSuffix(text, "$")
		switch {
		case len(plain) >= shortestStem:
			l.put(stem{plain, acronym || plain != text, acronym, of})
		case len(plain) == 2 && plain != text:
			for _, sign := range behindShort {
				l.put(stem{plain + string(sign), false, acronym, of})
			}
		default:
			panic("egress: the stem " + text + " is too short")
		}
	}
}

func (l lexicon) put(s stem) {
	key := [3]byte([]byte(s.text[:shortestStem]))
	l[key] = append(l[key], s)
}

// words is the lexicon of all topics.
var words = sync.OnceValue(func() lexicon {
	l := lexicon{}
	l.add(anyIdentity, anyIdentityWords)
	l.add(birthTopic, birthWords)
	l.add(paperTopic, paperWords)
	l.add(payTopic, payWords)
	l.add(mirrorTopic, mirrorWords)
	l.add(roadTopic, roadWords)
	l.add(bankTopic, bankWords)
	l.add(recordTopic, recordWords)
	l.add(turnedTopic, turnedWords)
	l.add(partTopic, partWords)
	for _, w := range illnesses() {
		l.add(illnessTopic, w)
	}
	for _, all := range numerals {
		for _, w := range all {
			if len(w) >= shortestStem {
				l.add(numeralTopic, w+"$")
			}
		}
	}
	for i, k := range identityKinds() {
		l.add(firstIdentity+topic(i), k.words)
	}
	return l
})

// inner are stems that stand inside compound words too.
var inner = []struct {
	of    topic
	stems []string
}{
	{illnessTopic, []string{"krebs", "kanker", "cancer", "kreft", "kræft", "tumor", "infarkt", "syndrom"}},
	{payTopic, []string{"gehalt", "lohn", "salaris", "lön ", "lönen", "lønn", "løn ", "lønnen", "palkka", "vergüt"}},
}

// compounds gives the words that have such a stem inside.
func compounds(lower string) (all []hit) {
	for _, group := range inner {
		for _, s := range group.stems {
			for at := 0; ; at += len(s) {
				i := strings.Index(lower[at:], s)
				if i < 0 {
					break
				}
				at += i
				if letterBefore(lower, at) || at > 0 && lower[at-1] >= 'a' && lower[at-1] <= 'z' {
					all = append(all, hit{at, at + len(s), group.of})
				}
			}
		}
	}
	return all
}

// in gives the words of the lexicon in a lower-case text; original tells where words of one name begin, likeThis.
func (l lexicon) in(lower, original string) (all []hit) {
	letter := false
	for i := 0; i < len(lower); {
		r, n := rune(lower[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(lower[i:])
		}
		is := r >= 'a' && r <= 'z' || r >= utf8.RuneSelf && unicode.IsLetter(r)
		if is && i+shortestStem <= len(lower) && (!letter || n == 1 && original[i] < 'a' && i > 0 && original[i-1] >= 'a' || r >= 0xE00 && !alphabetic(r)) {
			all = l.at(lower, original, i, all)
		}
		letter = is
		i += n
	}
	return all
}

// at adds the words that begin at a place.
func (l lexicon) at(lower, original string, i int, all []hit) []hit {
	for _, s := range l[[3]byte{lower[i], lower[i+1], lower[i+2]}] {
		if !strings.HasPrefix(lower[i:], s.text) {
			continue
		}
		end := i + len(s.text)
		if r, _ := utf8.DecodeRuneInString(lower[end:]); s.whole && alphabetic(r) || s.acronym && original[i] > 'Z' && !strings.ContainsRune("\"':=#", r) {
			continue
		}
		all = append(all, hit{i, end, s.of})
	}
	return all
}

// near says whether a word of a topic stands around a place.
func (m *message) near(of topic, from, to int) bool {
	i, _ := slices.BinarySearchFunc(m.hits, from, func(h hit, at int) int { return h.from - at })
	for ; i < len(m.hits) && m.hits[i].from < to; i++ {
		if m.hits[i].of == of {
			return true
		}
	}
	return false
}

// about gives the words of a topic.
func (m *message) about(of topic) (all []hit) {
	for _, h := range m.hits {
		if h.of == of {
			all = append(all, h)
		}
	}
	return all
}

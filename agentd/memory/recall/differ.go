package recall

import "slices"

const (
	sameMatter = 0.5 // share of telling words from which two texts are about one thing
	otherWord  = 0.5 // words that are less alike than this are different ones
)

// denials turn what a text says into the opposite.
var denials = set(`no not never none without nobody nothing kein keine keinen keinem keiner nicht nie niemals ohne niemand nichts`)

// Differs says whether two texts are about the same thing and say something else about it: another figure or name in the same place,
// or the opposite. It knows words, not meanings: what is said in wholly other words it takes for another matter.
func Differs(a, b string) bool {
	one, deniesOne := matter(a)
	two, deniesTwo := matter(b)
	if overlap(one, two) < sameMatter {
		return false
	}
	return deniesOne != deniesTwo || len(others(one, two)) > 0 && len(others(two, one)) > 0
}

// matter are the words that tell what a text is about, each once, and whether it denies.
func matter(text string) (telling []string, denies bool) {
	odd := 0
	for _, w := range wordsOf(text) {
		switch {
		case denials[w]:
			odd++
		case !common[w] && !slices.Contains(telling, w):
			telling = append(telling, w)
		}
	}
	return telling, odd%2 == 1
}

// others are the words of one text that no word of another is like.
func others(of, than []string) (all []string) {
	for _, w := range of {
		if !slices.ContainsFunc(than, func(o string) bool { return sameWord(w, o) }) {
			all = append(all, w)
		}
	}
	return all
}

// sameWord says whether two words are one, perhaps inflected. Figures are the same or not.
func sameWord(a, b string) bool {
	if a == b {
		return true
	}
	if isFigure(a) || isFigure(b) {
		return false
	}
	have, shared := grams(a), 0
	other := grams(b)
	for _, g := range have {
		if slices.Contains(other, g) {
			shared++
		}
	}
	return alike(shared, len(have), len(other)) >= otherWord
}

func isFigure(w string) bool { return w != "" && w[0] >= '0' && w[0] <= '9' }

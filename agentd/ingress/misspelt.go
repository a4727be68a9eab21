package ingress

import (
	"slices"
	"strings"
	"sync"
)

// spelt are the meanings that a misspelt word is looked up for: those that orders to a machine are made of.
const spelt = ignore | prior | order | reveal | secret | prompt | send | machine | authority | private | destroy | person | your

// shortest is how many letters a word must have for a mistake in it to be seen.
const shortest = 5

// longestWord is how many letters a word of the lexicon has at most, with one too many.
const longestWord = 24

// nearWords gives the word of the lexicon that has the same letters between the same ends, or one letter more; for words
// with one letter too many or one that is wrong, the letters that are left are looked up.
var nearWords = sync.OnceValue(func() map[string]string {
	known := map[string]string{}
	for _, w := range sortedWords() {
		for _, form := range forms(w) {
			if _, taken := known[form]; !taken {
				known[form] = w
			}
		}
	}
	return known
})

// forms are the ways in which a word may be misspelt; in a short one a missing letter leaves another word.
func forms(w string) []string {
	if len(w) <= shortest {
		return []string{scrambled(w)}
	}
	return append(shorter(w), scrambled(w))
}

// sortedWords are the Latin words that mistakes are looked for in.
func sortedWords() (all []string) {
	for w, m := range indexed().words {
		if m&spelt != 0 && len(w) >= shortest-1 && latinWord(w) {
			all = append(all, w)
		}
	}
	for w, m := range indexed().stems {
		if m&spelt != 0 && len(w) > shortest+2 && latinWord(w) {
			all = append(all, w, w+"s")
		}
	}
	slices.Sort(all)
	return all
}

func latinWord(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < 'a' || r > 'z' }) < 0
}

// scrambled names all words with the same ends and the same letters between them.
func scrambled(w string) string {
	inner := []byte(w[1 : len(w)-1])
	slices.Sort(inner)
	return "~" + w[:1] + string(inner) + w[len(w)-1:]
}

// shorter are the ways to leave out one letter after the first.
func shorter(w string) (all []string) {
	for i := 1; i < len(w); i++ {
		all = append(all, w[:i]+w[i+1:])
	}
	return all
}

// misspelt puts right words with letters swapped or left out. One slip proves nothing, so two are asked for.
func misspelt(s string) []string {
	n, known := 0, map[string]string{}
	words := strings.Fields(s)
	for i, w := range words {
		w = strings.ToLower(strings.Trim(w, ".,;:!?\"'()"))
		if len(w) < shortest-1 || len(w) > longestWord || !latinWord(w) || meaning(w) != 0 {
			continue
		}
		right, seen := known[w]
		if !seen {
			right = rightWord(w)
			known[w] = right
		}
		if right != w {
			words[i], n = right, n+1
		}
	}
	if n < 2 {
		return nil
	}
	return []string{strings.Join(words, " ")}
}

// rightWord finds the word of the lexicon that a word was meant to be, or gives the word itself.
func rightWord(w string) string {
	known := nearWords()
	for _, form := range []string{scrambled(w), w} {
		if right, ok := known[form]; ok {
			return right
		}
	}
	if len(w) <= shortest {
		return w
	}
	for _, form := range shorter(w) {
		if right, ok := known[form]; ok && abs(len(right)-len(w)) <= 1 {
			return right
		}
		if indexed().words[form]&spelt != 0 {
			return form
		}
	}
	return w
}

func abs(n int) int { return max(n, -n) }

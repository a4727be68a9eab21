package ingress

import "sort"

// finding is one place that counts. What follows a # in its pattern sets it apart from findings of the same pattern
// that it adds to.
type finding struct {
	at      int
	weight  float64
	pattern string
}

// reading is a text taken apart: its words, and what rules and shapes found in it.
type reading struct {
	text  string // folded
	words []word
	found []finding // by place
	shape float64   // the heaviest shape
}

func read(text string) reading { return readBy(text, rules) }

func readBy(text string, by []rule) reading {
	f := fold(text)
	r := reading{text: f, words: words(f)}
	r.found = shapesIn(text, f, r.words)
	for _, s := range r.found {
		r.shape = max(r.shape, s.weight)
	}
	r.found = append(r.found, matches(r.words, by)...)
	sort.SliceStable(r.found, func(i, j int) bool { return r.found[i].at < r.found[j].at })
	return r
}

func (r reading) collector() *collector { return newCollector(r.text, r.words, r.found) }

// patterns names what a window holds: the model alone knows no names.
func (r reading) patterns(w window) (names []string) {
	in := between(r.found, r.words[w.from].at, r.words[w.to-1].at)
	parts, _ := weighed(in)
	if names = weighty(parts); len(names) == 0 {
		names = []string{Directed}
	}
	return names
}

// between gives the findings from one place to another.
func between(found []finding, from, to int) []finding {
	i := sort.Search(len(found), func(i int) bool { return found[i].at >= from })
	j := sort.Search(len(found), func(i int) bool { return found[i].at > to })
	return found[i:max(i, j)]
}

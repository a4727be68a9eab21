package ingress

import (
	"math/bits"
	"slices"
	"sort"
	"strings"
)

// Report says what was noticed in a text. It decides nothing.
type Report struct {
	Flagged  bool
	Patterns []string // sorted, empty when nothing is flagged
}

// What is enough to flag a text. The rules know shapes and phrases, the model what orders to a machine are like; each
// may flag by itself when it is sure, and rules that the model contradicts may not.
const (
	enough   = 1.0  // of the rules
	likely   = 0.15 // of the model
	doubtful = 0.05 // of the model: below, phrases of the rules are chance
	unlikely = -0.4 // of the model: below, even a shape is somebody's description of it
	certain  = 1.2  // of a shape that no honest text has: our own marks, signs that turn the text around
)

// Lighter measures for what a person would not have seen.
const (
	enoughUnseen  = 0.5
	likelyUnseen  = -0.1
	likelyDecoded = 0.45  // letters that fell out of a decoder by chance are odd in every way
	plausible     = -0.25 // of the model, about a phrase of the rules that was disguised
	gain          = 0.25  // how much more a decoded text must say than the text it was made of
)

// reach is how far apart, in words, two findings may stand and still add up.
const reach = 90

// Scan looks for known tricks: in the text as it stands, in what it keeps from the eye and in what it decodes to.
func Scan(text string) Report { return model.Scan(text) }

// Scan looks for known tricks by this model and the rules.
func (m *Model) Scan(text string) Report {
	all := views(prefix(text, most))
	plain := m.judged(all[0])
	var patterns []string
	if plain.flagged(enough, likely) {
		patterns = plain.patterns
	}
	for _, v := range all[1:] {
		if j := m.judged(v); v.tells(j, plain) {
			patterns = append(append(patterns, v.hidden), j.patterns...)
		}
	}
	sort.Strings(patterns)
	patterns = slices.Compact(patterns)
	return Report{Flagged: len(patterns) > 0, Patterns: patterns}
}

// judgement is what rules and model say of a text.
type judgement struct {
	score    float64 // of the rules
	shape    float64 // of the heaviest shape, about which the model is not asked
	like     float64 // of the model
	patterns []string
}

func (m *Model) judged(v view) judgement {
	r := readBy(v.text, v.rules())
	j := judgement{shape: r.shape}
	j.score, j.patterns = heaviest(r.found)
	j.score -= tries(len(r.words))
	var at window
	if j.like, at = m.judge(r); j.like >= likelyUnseen {
		j.patterns = append(j.patterns, r.patterns(at)...)
	}
	return j
}

// flagged says whether rules or model are sure enough.
func (j judgement) flagged(score, like float64) bool {
	return j.like >= like || j.shape >= certain || j.shape >= score && j.like >= unlikely || j.score >= score && j.like >= doubtful
}

// patterns names what a window holds: the model alone knows no names.
func (r reading) patterns(w window) (names []string) {
	in := between(r.found, r.words[w.from].at, r.words[w.to-1].at)
	parts, _ := weighed(in)
	if names = weighty(parts); len(names) == 0 {
		names = []string{Directed}
	}
	return names
}

// tells says whether what a view holds is enough to flag the text. Writing in characters that show nothing is enough
// by itself; a decoded text must say more than the text it was made of.
func (v view) tells(j, plain judgement) bool {
	switch v.hidden {
	case Invisible:
		return letters(v.text) >= 6
	case Hidden:
		return j.score >= enoughUnseen && j.like >= doubtful || j.flagged(enough, likelyUnseen)
	}
	return v.odd && deeds(v.text) >= 2 || (j.like >= likelyDecoded || max(j.shape, j.score) >= enough && j.like >= plausible) &&
		(j.score > plain.score+gain || j.like > plain.like+gain)
}

// doing are the meanings of which an order holds at least two: a deed and what it is done to.
const doing = ignore | order | send | reveal | destroy | secret | private | prompt | some | goods | money | run

// deeds counts them.
func deeds(text string) int {
	all := concept(0)
	for _, w := range words(text) {
		all |= w.means & doing
	}
	return bits.OnesCount64(uint64(all))
}

// rules are what a view is judged by.
func (v view) rules() []rule {
	if v.hidden == Hidden {
		return slices.Concat(rules, unseenRules)
	}
	return rules
}

func letters(s string) (n int) {
	for _, r := range s {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			n++
		}
	}
	return n
}

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

// between gives the findings from one place to another.
func between(found []finding, from, to int) []finding {
	i := sort.Search(len(found), func(i int) bool { return found[i].at >= from })
	j := sort.Search(len(found), func(i int) bool { return found[i].at > to })
	return found[i:max(i, j)]
}

// heaviest finds the region that weighs most: each pattern counts once there, at its heaviest.
func heaviest(found []finding) (best float64, patterns []string) {
	for i := range found {
		near := between(found, found[i].at, found[i].at+reach)
		parts, sum := weighed(near[:min(len(near), 200)])
		if sum > best {
			best, patterns = sum, weighty(parts)
		}
	}
	return best, patterns
}

// weighed gives the heaviest finding of each pattern, by first place, and the sum of them.
func weighed(found []finding) (parts []finding, sum float64) {
	for _, f := range found {
		i := slices.IndexFunc(parts, func(p finding) bool { return p.pattern == f.pattern })
		switch {
		case i < 0:
			parts, sum = append(parts, f), sum+f.weight
		case f.weight > parts[i].weight:
			sum += f.weight - parts[i].weight
			parts[i] = f
		}
	}
	return parts, sum
}

// weighty names the patterns that carry a region.
func weighty(parts []finding) (names []string) {
	for _, p := range parts {
		if p.weight >= 0.3 {
			name, _, _ := strings.Cut(p.pattern, "#")
			names = append(names, name)
		}
	}
	return names
}

// matches applies rules to every place.
func matches(ws []word, by []rule) (found []finding) {
	talk := talked(ws)
	for _, r := range by {
		last := -reach
		for i := range ws {
			if ws[i].means&r.words[0] == 0 || ws[i].at-last < 3 {
				continue
			}
			if w := r.at(ws, i); w > 0 {
				last = ws[i].at
				found = append(found, finding{ws[i].at, w * talk.calm(ws[i]), r.pattern})
			}
		}
	}
	return found
}

// at is the weight of the rule at word i, or 0.
func (r rule) at(ws []word, i int) float64 {
	if r.plainly && denied(ws, i) {
		return 0
	}
	from, to := r.window(ws, i)
	used := []int{ws[i].at}
	for _, want := range r.words[1:] {
		j := slices.IndexFunc(ws[from:to], func(w word) bool { return w.means&want != 0 && !slices.Contains(used, w.at) })
		if j < 0 {
			return 0
		}
		used = append(used, ws[from+j].at)
	}
	if r.half != 0 && slices.ContainsFunc(ws[from:to], func(w word) bool { return w.means&r.half != 0 }) {
		return r.weight / 2
	}
	return r.weight
}

// window is the range of words that a rule may use around word i.
func (r rule) window(ws []word, i int) (from, to int) {
	for from = i; !r.after && from > 0 && ws[i].at-ws[from-1].at <= r.within; from-- {
		continue
	}
	for to = i + 1; to < len(ws) && ws[to].at-ws[i].at <= r.within; to++ {
		continue
	}
	return from, to
}

// denied says whether the words before i turn it into its opposite.
func denied(ws []word, i int) bool {
	for j := i - 1; j >= 0 && ws[i].at-ws[j].at <= 3; j-- {
		if ws[j].means&not != 0 {
			return true
		}
	}
	return false
}

package ingress

import (
	"slices"
	"sort"
	"strings"
)

// Report says what was noticed in a text. It decides nothing.
type Report struct {
	Flagged  bool
	Patterns []string // sorted, empty when nothing is flagged
}

// enough is the score of a text that is flagged.
const enough = 1.0

// Lighter measures for what a person would not have seen.
const (
	enoughUnseen = 0.5  // text kept from the eye
	gain         = 0.25 // how much more a decoded text must say than the text it was made of
)

// reach is how far apart, in words, two findings may stand and still add up.
const reach = 90

// Scan looks for known tricks: in the text as it stands, in what it keeps from the eye and in what it decodes to.
func Scan(text string) Report {
	all := views(prefix(text, most))
	score, patterns := weigh(all[0].text, rules)
	if score < enough {
		patterns = nil
	}
	for _, v := range all[1:] {
		s, p := weigh(v.text, v.rules())
		if !tells(v, s, score) {
			continue
		}
		patterns = append(append(patterns, v.hidden), p...)
	}
	sort.Strings(patterns)
	patterns = slices.Compact(patterns)
	return Report{Flagged: len(patterns) > 0, Patterns: patterns}
}

// tells says whether what a view holds is enough to flag the text. Writing in characters that show nothing is enough
// by itself; a decoded text must say more than the text it was made of.
func tells(v view, score, plain float64) bool {
	switch v.hidden {
	case Invisible:
		return letters(v.text) >= 6
	case Hidden:
		return score >= enoughUnseen
	}
	return score >= enough && score > plain+gain
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

// weigh scores one text and names what counted.
func weigh(text string, by []rule) (float64, []string) {
	f := fold(text)
	ws := words(f)
	found := append(shapesIn(text, f, ws), matches(ws, by)...)
	return heaviest(found)
}

// heaviest finds the region that weighs most: each pattern counts once there, at its heaviest.
func heaviest(found []finding) (best float64, patterns []string) {
	sort.Slice(found, func(i, j int) bool { return found[i].at < found[j].at })
	for i := range found {
		sum, parts := 0.0, map[string]float64{}
		for _, f := range found[i:min(len(found), i+200)] {
			if f.at > found[i].at+reach {
				break
			}
			parts[f.pattern] = max(parts[f.pattern], f.weight)
		}
		for _, w := range parts {
			sum += w
		}
		if sum > best {
			best, patterns = sum, weighty(parts)
		}
	}
	return best, patterns
}

// weighty names the patterns that carry a region.
func weighty(parts map[string]float64) (names []string) {
	for name, w := range parts {
		if w >= 0.3 {
			name, _, _ = strings.Cut(name, "#")
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

package ingress

import (
	"slices"
	"sort"
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

// Scan looks for known tricks: in the text as it stands, in what it keeps from the eye and in what it decodes to.
func Scan(text string) Report { return model().Scan(text) }

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

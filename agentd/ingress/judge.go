package ingress

import (
	"math/bits"
	"slices"
)

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

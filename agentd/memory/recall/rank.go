package recall

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Weights of what makes up a score. They were set once, before anything was measured; TestFinds says what they find.
const (
	byWords   = 0.3 // BM25 of the stems
	byVector  = 0.2 // the vectors: of what a text means where that is known, else the hashed ones
	byLetters = 0.5 // word by word, letters in a row
)

const (
	// telling is how like in meaning a text must be to answer without sharing a word with the question, and alone what that counts
	// then.
	telling = 0.35
	alone   = 0.7
)

const (
	relevance = 0.7 // λ of maximal marginal relevance: how much a new hit counts against not saying the same again
	halfLife  = 30 * 24 * time.Hour
	leastAge  = 0.7  // what the oldest note keeps of its score
	leastSure = 0.6  // what a note without any trust keeps of it
	sameThing = 0.6  // share of words from which two notes say the same thing
	asGood    = 0.97 // a newer note corrects an older one when it has at least this part of the older one's words of the question
)

// candidate is a text on its way to a rank.
type candidate struct {
	Text
	words   []string
	lexical float64 // BM25, the best is 1
	near    float64 // cosine of the vectors
	letters float64 // share of the question that its words are like
	known   bool    // what it means is known
	means   float64 // how like that is to what the question means, from what is usual (0) to the same (1)
	score   float64
}

// weigh gives a candidate its score at a moment.
func (c *candidate) weigh(now time.Time) {
	vectors := c.near
	if c.known {
		vectors = c.means
	}
	c.score = byWords*c.lexical + byVector*max(vectors, 0) + byLetters*c.letters
	if c.means >= telling {
		c.score = max(c.score, alone*c.means)
	}
	c.score *= aged(c.Day, now) * (leastSure + (1-leastSure)*float64(c.Trust)/100)
}

// aged is what a note of a day counts now. What has no day does not age.
func aged(day, now time.Time) float64 {
	if day.IsZero() {
		return 1
	}
	age := max(now.Sub(day), 0)
	return leastAge + (1-leastAge)*math.Exp2(-float64(age)/float64(halfLife))
}

// overlap is the share of words that two texts have in common (Dice).
func overlap(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	in, both := map[string]bool{}, map[string]bool{}
	for _, w := range a {
		in[w] = true
	}
	own := map[string]bool{}
	for _, w := range b {
		own[w] = true
		if in[w] {
			both[w] = true
		}
	}
	return 2 * float64(len(both)) / float64(len(in)+len(own))
}

// ordered puts candidates in the order of their rank, at most limit: by score, without saying the same again, and of two that
// say the same thing the newer first.
func ordered(all []candidate, limit int) []candidate {
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	all = all[:min(len(all), 4*limit)]
	newerFirst(all)
	picked := make([]candidate, 0, limit)
	closest := make([]float64, len(all)) // to one that is picked
	for len(picked) < limit && len(picked) < len(all) {
		best := -1
		for i := range all {
			if closest[i] >= 0 && (best < 0 || marginal(all[i], closest[i]) > marginal(all[best], closest[best])) {
				best = i
			}
		}
		picked = append(picked, all[best])
		for i := range all {
			if closest[i] >= 0 {
				closest[i] = max(closest[i], overlap(all[i].words, all[best].words)*all[best].score)
			}
		}
		closest[best] = -1
	}
	return picked
}

func marginal(c candidate, closest float64) float64 { return relevance*c.score - (1-relevance)*closest }

// newerFirst lets two notes change places, and scores, where the later one corrects the earlier one.
func newerFirst(all []candidate) {
	for i := range all {
		for j := i + 1; j < len(all); j++ {
			if corrects(&all[j], &all[i]) {
				all[i].score, all[j].score = all[j].score, all[i].score
				all[i], all[j] = all[j], all[i]
			}
		}
	}
}

// corrects says whether a later note answers the question as well as an earlier one, in mostly the same words, and is believed no
// less. What does not age is corrected by nothing but its owner.
func corrects(later, earlier *candidate) bool {
	answers := later.letters > 0 && later.letters >= asGood*earlier.letters
	sure := later.Trust >= earlier.Trust && !earlier.Day.IsZero()
	return answers && sure && later.Day.After(earlier.Day) && overlap(later.words, earlier.words) >= sameThing
}

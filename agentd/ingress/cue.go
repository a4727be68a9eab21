package ingress

import (
	"math/bits"
	"slices"
)

// Kinds of cue. The number is mixed into the hash, so that a word and its beginning are two cues.
const (
	aWord = iota + 1
	aPair
	aLeap // two words with one between
	aTriple
	aPart
	aMeaning
	aMeaningPair
	aStart
	aStartMeaning
	anEnd
	aFinding
	aWeight
	aTold         // a meaning beside the name of a machine that is spoken to
	aQuoted       // a meaning that stands in quotes
	aHeard        // an appeal to a machine
	aHeardMeaning // a meaning behind one
	aTalk         // how much a text speaks of attacks
)

// near is how far apart two meanings may stand and still make a pair.
const near = 7

// Cues gives what the model sees of a text in each of its windows: hashes of words, rows of words, parts of words and
// their meanings. Each cue stands once in a window.
func Cues(text string) (all [][]uint32) {
	c := read(text).collector()
	for _, w := range windows(c.words) {
		all = append(all, append([]uint32(nil), c.window(w)...))
	}
	return all
}

// collector reads the cues of windows of one text, word by word just once.
type collector struct {
	words   []word
	found   []finding // by place
	appeals []appeal  // by place
	talk    talk
	own     [][]uint32          // cues of a word by itself
	seen    map[uint32]struct{} // cues of the window
	cues    []uint32
}

func newCollector(text string, ws []word, found []finding) *collector {
	c := &collector{words: ws, found: found, appeals: appeals(text, ws), talk: talked(ws), own: make([][]uint32, len(ws)), seen: map[uint32]struct{}{}}
	known := map[string][]uint32{}
	for i, w := range ws {
		own, ok := known[w.text]
		if !ok {
			own = ofWord(w.text)
			known[w.text] = own
		}
		c.own[i] = own
	}
	return c
}

// window collects the cues of one window. The result is good until the next call.
func (c *collector) window(w window) []uint32 {
	clear(c.seen)
	c.cues = c.cues[:0]
	for i := w.from; i < w.to; i++ {
		for _, cue := range c.own[i] {
			c.add(cue)
		}
		c.row(i, w)
		c.meanings(i, w)
	}
	c.findings(w)
	c.hears(w)
	return c.cues
}

// findings adds what rules and shapes found in a window, and how heavy it is.
func (c *collector) findings(w window) {
	in := between(c.found, c.words[w.from].at, c.words[w.to-1].at)
	for _, f := range in {
		if f.weight >= 0.3 {
			c.add(mixed(aFinding, hashed(0, f.pattern), 0))
			c.add(mixed(aTalk, 1+c.talking(w), hashed(0, f.pattern)))
		}
	}
	if slices.ContainsFunc(in, func(f finding) bool { return f.pattern == voice }) {
		c.told(w)
	}
	c.add(mixed(aTalk, c.talking(w), 0))
	_, sum := weighed(in)
	for step := range uint32(min(4, int(sum*2))) {
		c.add(mixed(aWeight, step, 0))
	}
}

// talking says how much the text around a window speaks of attacks.
func (c *collector) talking(w window) uint32 {
	return uint32(min(3, c.talk.near(c.words[w.from].at)))
}

// told adds what a window means to a machine that it calls by name.
func (c *collector) told(w window) {
	for _, x := range c.words[w.from:w.to] {
		for m := x.means; m != 0; m &= m - 1 {
			c.add(mixed(aTold, uint32(bits.TrailingZeros64(uint64(m))), 0))
		}
	}
}

func (c *collector) add(cue uint32) {
	if _, ok := c.seen[cue]; !ok {
		c.seen[cue] = struct{}{}
		c.cues = append(c.cues, cue)
	}
}

// row adds the rows of words that begin at i, and what begins a sentence.
func (c *collector) row(i int, w window) {
	one := hashed(0, c.words[i].text)
	if i == w.from || c.words[i].at-c.words[i-1].at >= 4 {
		c.add(mixed(aStart, one, 0))
		for m := c.words[i].means; m != 0; m &= m - 1 {
			c.add(mixed(aStartMeaning, uint32(bits.TrailingZeros64(uint64(m))), 0))
		}
	}
	if i+1 == w.to {
		return
	}
	two := hashed(0, c.words[i+1].text)
	c.add(mixed(aPair, one, two))
	if i+2 < w.to {
		three := hashed(0, c.words[i+2].text)
		c.add(mixed(aLeap, one, three))
		c.add(mixed(aTriple, one*31+two, three))
	}
}

// meanings adds what word i can mean, and with what other meaning before it.
func (c *collector) meanings(i int, w window) {
	for m := c.words[i].means; m != 0; m &= m - 1 {
		this := uint32(bits.TrailingZeros64(uint64(m)))
		c.add(mixed(aMeaning, this, 0))
		if c.words[i].quoted {
			c.add(mixed(aQuoted, this, 0))
		}
		for j := i - 1; j >= w.from && c.words[i].at-c.words[j].at <= near; j-- {
			for o := c.words[j].means; o != 0; o &= o - 1 {
				c.add(mixed(aMeaningPair, uint32(bits.TrailingZeros64(uint64(o))), this))
			}
		}
	}
}

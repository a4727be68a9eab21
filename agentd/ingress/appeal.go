package ingress

import (
	"math/bits"
	"sort"
	"strings"
	"unicode/utf8"
)

// appeal is a place where a text turns to the machine that reads it. Who is spoken to tells an order to a machine
// from the same words between people, so what is said behind an appeal is a cue of its own.
type appeal struct {
	at   int // as of a word
	kind uint32
}

// Kinds of appeal. Each stands once for what is surely a machine, and once for what may be a person.
const (
	spoken = 4 * iota // "Assistant, …", "note for robots: …"
	hailed            // "dear assistant", "if you are a model"
	bound             // "the agent must"
	reader            // whoever reads: "whichever program handles this", "your operator"
)

// What makes a kind another.
const (
	unsure uint32 = 1 // may be a person
	cited  uint32 = 2 // stands in quotes
)

// heard is how far behind it, in words, an appeal is still heard.
const heard = 60

// appeals finds where a folded text turns to a machine.
func appeals(text string, ws []word) (all []appeal) {
	for i, w := range ws {
		for _, kind := range kinds(text, ws, i) {
			if w.means&(machine|readerOf) == 0 {
				kind |= unsure
			}
			if w.quoted {
				kind |= cited
			}
			all = append(all, appeal{w.at, kind})
		}
	}
	return all
}

// kinds says in which ways word i is an appeal.
func kinds(text string, ws []word, i int) (all []uint32) {
	w := ws[i]
	if w.means&readerOf != 0 {
		all = append(all, reader)
	}
	if w.means&(machine|helper) == 0 || w.means&colleague != 0 {
		return all
	}
	if called(text, ws, i) {
		all = append(all, spoken)
	}
	for j := i - 1; j >= max(0, i-5) && w.at-ws[j].at <= 6; j-- {
		if ws[j].means&hail != 0 {
			all = append(all, hailed)
			break
		}
	}
	for j := i + 1; j < min(len(ws), i+4) && ws[j].at-w.at <= 3; j++ {
		if ws[j].means&must != 0 {
			return append(all, bound)
		}
	}
	return all
}

// called says whether word i ends what a clause begins with, and a sign that calls stands behind it.
func called(text string, ws []word, i int) bool {
	from := i
	for from > 0 && i-from < 4 && ws[from].at-ws[from-1].at == 1 && !breaks(text[end(ws[from-1]):max(end(ws[from-1]), ws[from].from)]) {
		from--
	}
	if i-from >= 4 {
		return false
	}
	return callsAt(text, ws[i]) || ws[i].means&(machine|readerOf) != 0 && callsBehind(text, ws, i)
}

// callsAt says whether a sign that calls stands behind a word, or one before it.
func callsAt(text string, w word) bool {
	rest := strings.TrimLeft(text[min(end(w), len(text)):], " *_)")
	r, _ := utf8.DecodeRuneInString(rest)
	return rest != "" && strings.ContainsRune(",:;!–—-，：！、", r) || w.from > 0 && text[w.from-1] == '@'
}

// attributes is how many words may tell more of the machine that is called: "AI of the bakery that sorts mail:".
const attributes = 8

// callsBehind says whether the clause in which a machine is named ends in a colon.
func callsBehind(text string, ws []word, i int) bool {
	for j := i + 1; j < min(len(ws), i+1+attributes) && ws[j].at-ws[j-1].at <= 2; j++ {
		if between := text[min(end(ws[j-1]), ws[j].from):ws[j].from]; breaks(between) {
			return strings.HasPrefix(strings.TrimLeft(between, " )"), ":") || strings.HasPrefix(between, "：")
		}
	}
	return false
}

// end is where a word ends; one that lost bytes to lower case ends a little later.
func end(w word) int {
	if w.text == "\x00ai" {
		return w.from + 2
	}
	return w.from + len(w.text)
}

// breaks says whether a clause ends in the signs between two words.
func breaks(between string) bool {
	return strings.ContainsAny(between, ",.:;!?\"'(){}[]<>#*/|\n—–=")
}

// hears adds what a window says to a machine: in the window, or shortly before it. The first appeal of a kind is behind
// all that the others are behind, so that a text of nothing but appeals costs no more.
func (c *collector) hears(w window) {
	first, last := c.words[w.from].at, c.words[w.to-1].at
	seen := uint32(0)
	i := sort.Search(len(c.appeals), func(i int) bool { return c.appeals[i].at >= first-heard })
	for ; i < len(c.appeals) && c.appeals[i].at <= last; i++ {
		a, before := c.appeals[i], uint32(0)
		if a.at < first {
			before = 1
		}
		if one := uint32(1) << (a.kind<<1 | before); seen&one == 0 {
			seen |= one
			c.add(mixed(aHeard, a.kind, before))
			c.behind(a, w)
		}
	}
}

// behind adds what a window means behind an appeal.
func (c *collector) behind(a appeal, w window) {
	for _, x := range c.words[w.from:w.to] {
		for m := x.means; m != 0 && x.at >= a.at; m &= m - 1 {
			c.add(mixed(aHeardMeaning, a.kind, uint32(bits.TrailingZeros64(uint64(m)))))
		}
	}
}

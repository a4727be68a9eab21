package redact

import "bytes"

// finder looks at what stands around a keyword that was found at i in text, n bytes long, and reports what it finds.
type finder func(text []byte, i, n int, add func(span))

// keyword begins, or stands in, something that a finder knows. One of fewer than four bytes says what may follow.
type keyword struct {
	word  string
	fills string // "": word has four bytes or more
	run   finder
	form  bool      // also looked for in decoded text: it needs no surroundings
	expr  *compiled // in place of run: the form of a vendor
}

// keywords are words with one finder.
func keywords(run finder, words ...string) []keyword {
	all := make([]keyword, len(words))
	for i, w := range words {
		all[i] = keyword{word: w, run: run}
	}
	return all
}

// filled are keywords of fewer than four bytes, with what may follow them.
func filled(run finder, fills string, words ...string) []keyword {
	all := keywords(run, words...)
	for i := range all {
		all[i].fills = fills
	}
	return all
}

// rules are all keywords with their finders, found in one pass.
type rules struct {
	words []keyword
	index groups
	lists [][]int32 // of words, by the number in index
	short []int32   // words of fewer than four bytes: at the end of a text nothing may follow them
	sieve sieve
	kinds map[string]bool // every kind that a mark may name
}

// What may follow a short keyword.
const (
	fillWord = "abcdefghijklmnopqrstuvwxyz0123456789-_"
	fillHex  = "0123456789abcdef"
	fillStop = " \t\r\n=:\"'`_-.,;()[]{}>|\\*0123456789/?&<"
)

func newRules(words []keyword, kinds ...string) *rules {
	r := &rules{words: words, kinds: map[string]bool{"unscanned": true}}
	for _, k := range kinds {
		r.kinds[k] = true
	}
	lists := map[uint32][]int32{}
	for i, k := range words {
		if k.fills != "" {
			r.short = append(r.short, int32(i))
		}
		for _, g := range groupsOf([]byte(k.word), k.fills) {
			if at := lists[g]; len(at) == 0 || at[len(at)-1] != int32(i) {
				lists[g] = append(at, int32(i))
			}
		}
	}
	r.sieve, r.index = newSieve(len(lists)), newGroups(len(lists))
	for g, list := range lists {
		r.index.put(g, int32(len(r.lists)))
		r.lists = append(r.lists, list)
		r.sieve.add(g)
	}
	return r
}

// groupsOf are the groups of four bytes with which a keyword can begin.
func groupsOf(word []byte, fills string) []uint32 {
	if len(word) >= 4 {
		return []uint32{groupAt(word, 0)}
	}
	var all []uint32
	for i := range len(fills) {
		all = append(all, groupsOf(append(bytes.Clone(word), fills[i]), fills)...)
	}
	return all
}

// all reports everything in text.
func (r *rules) all(text []byte, marks marks, add func(span)) { r.run(text, marks, false, add) }

// formats reports what has the form of a credential wherever it stands.
func (r *rules) formats(text []byte, marks marks, add func(span)) { r.run(text, marks, true, add) }

func (r *rules) run(text []byte, marks marks, forms bool, add func(span)) {
	dotted(text, add)
	barred(text, add)
	h := hits{text: text, marks: marks, forms: forms, add: add}
	r.sieve.each(text, func(i int, group uint32) {
		if n := r.index.get(group); n >= 0 {
			for _, k := range r.lists[n] {
				h.look(&r.words[k], i)
			}
		}
	})
	for _, k := range r.short { // one that ends the text
		if w := &r.words[k]; len(w.word) < 4 && len(text) >= len(w.word) {
			h.look(w, len(text)-len(w.word))
		}
	}
}

// hits are the keywords of one text.
type hits struct {
	text  []byte
	marks marks // a keyword in one of them announces nothing
	forms bool
	add   func(span)
	done  map[*keyword]int // up to where nothing new can come of it
}

// look runs the finder of a keyword when it stands at i.
func (h *hits) look(w *keyword, i int) {
	if h.forms && !w.form || !hasFold(h.text[i:], w.word) || h.marks.hold(i) {
		return
	}
	if w.expr == nil {
		w.run(h.text, i, len(w.word), h.add)
		return
	}
	if i < h.done[w] {
		return
	}
	if next := w.expr.find(h.text, i, len(w.word), h.add); next > i+len(w.word) {
		if h.done == nil {
			h.done = map[*keyword]int{}
		}
		h.done[w] = next
	}
}

// hasFold says whether b begins with word, whatever the case of its ASCII letters. Word is in small letters.
func hasFold(b []byte, word string) bool {
	if len(b) < len(word) {
		return false
	}
	for i := range len(word) {
		if c := b[i]; c != word[i] && (c|0x20 != word[i] || !isLetter(c)) {
			return false
		}
	}
	return true
}

package redact

import (
	"bytes"
	"regexp"
	"sync"
)

// finder looks at what stands around a keyword that was found at i in text, n bytes long, and reports what it finds.
type finder func(text []byte, i, n int, add func(span))

// keyword begins, or stands in, something that a finder knows. One of fewer than four bytes says what may follow.
type keyword struct {
	word  string
	fills string // "": word has four bytes or more
	run   finder
	form  bool // also looked for in decoded text: it needs no surroundings
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
func (r *rules) all(text []byte, add func(span)) { r.run(text, false, add) }

// formats reports what has the form of a credential wherever it stands.
func (r *rules) formats(text []byte, add func(span)) { r.run(text, true, add) }

func (r *rules) run(text []byte, forms bool, add func(span)) {
	dotted(text, add)
	barred(text, add)
	r.sieve.each(text, func(i int, group uint32) {
		n := r.index.get(group)
		if n < 0 {
			return
		}
		for _, k := range r.lists[n] {
			if w := &r.words[k]; (w.form || !forms) && hasFold(text[i:], w.word) {
				w.run(text, i, len(w.word), add)
			}
		}
	})
	r.last(text, forms, add)
}

// last reports what begins with a short keyword that ends the text.
func (r *rules) last(text []byte, forms bool, add func(span)) {
	for _, k := range r.short {
		w := &r.words[k]
		if i := len(text) - len(w.word); i >= 0 && len(w.word) < 4 && (w.form || !forms) && hasFold(text[i:], w.word) {
			w.run(text, i, len(w.word), add)
		}
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

// format is a form that a vendor has published: a literal and what stands around it.
type format struct {
	kind string
	word string // literal in small letters; the text decides about case
	expr string // from the literal on, or around it when back is not 0
	back int    // bytes before the literal that belong to it
	fill string // for a literal of fewer than four bytes
	edge bool   // no letter or digit may stand before it
	lead int    // letters and digits that follow the literal at least: most places are dismissed by them
	// chance says that words can have the form too: only what chance made counts.
	chance bool
	whole  bool // nothing of base64 may stand beside it
}

// maxForm is how many bytes behind a literal are looked at.
const maxForm = 2048

// keyword makes a keyword of a format. The expression is compiled when its literal first shows up.
func (f format) keyword() keyword {
	compile := sync.OnceValue(func() *regexp.Regexp {
		if f.back == 0 {
			return regexp.MustCompile(`\A(?:` + f.expr + `)`)
		}
		return regexp.MustCompile(f.expr)
	})
	run := func(text []byte, i, n int, add func(span)) {
		from := max(0, i-f.back)
		if f.back == 0 && f.edge && i > 0 && (isWord(text[i-1]) && !emphasis(text, i-1) || text[i-1] == '.') || !rowOf(text, i+n, f.lead) {
			return
		}
		ahead := maxForm
		if f.whole && f.back > 0 {
			if ahead = n + wholeTail; f.inLonger(text, i, i+ahead) {
				return
			}
		}
		window := text[from:min(len(text), i+ahead)]
		for at := 0; at <= i-from; {
			m := compile().FindSubmatchIndex(window[at:])
			if m == nil {
				return
			}
			lo, hi := groupOf(m)
			start, end := from+at+lo, from+at+hi
			if f.whole && (start > 0 && class[text[start-1]]&clsBase64 != 0 || end < len(text) && class[text[end]]&clsBase64 != 0) {
				return
			}
			if (f.chance || f.fill != "") && f.back == 0 && inBase64(text, start, end) {
				return
			}
			if from+at+m[0] <= i && from+at+m[1] >= i+n && (f.back == 0 || !f.edge || alone(text, start, end)) && credible(text[start:end], f) {
				add(span{start, end, -1, f.kind})
				return
			}
			at += m[0] + 1
		}
	}
	return keyword{word: f.word, fills: f.fill, run: run, form: true}
}

// emphasis says whether the sign at i is an underscore that begins what is emphasised.
func emphasis(text []byte, i int) bool {
	return text[i] == '_' && (i == 0 || text[i-1] <= ' ' || text[i-1] == '_' && (i == 1 || text[i-2] <= ' '))
}

// wholeTail is how many bytes stand behind the literal of a form that is the whole of its base64.
const wholeTail = 40

// inLonger says whether the base64 around a literal at i is longer than the form: an expression would take long to say so.
func (f format) inLonger(text []byte, i, end int) bool {
	from := i
	for from > 0 && i-from <= f.back && class[text[from-1]]&clsBase64 != 0 {
		from--
	}
	to := i
	for to < len(text) && to < end && class[text[to]]&clsBase64 != 0 {
		to++
	}
	return i-from > f.back || to == end
}

// inBase64 says whether what stands beside a stretch shows that it is a part of something in base64.
func inBase64(text []byte, start, end int) bool {
	return start > 1 && among("+/", text[start-1]) && mixedRow(text, start-1) || end+1 < len(text) && among("+/", text[end]) && class[text[end+1]]&clsBase64 != 0
}

// mixedRow says whether the base64 that ends at i has capitals, small letters and digits, as no path has at its end.
func mixedRow(text []byte, i int) bool {
	var seen uint16
	for k := i; k > 0 && i-k < 24 && class[text[k-1]]&clsBase64 != 0; k-- {
		seen |= class[text[k-1]]
	}
	return seen&clsUpper != 0 && seen&clsLower != 0 && seen&clsDigit != 0
}

// rowOf says whether n letters or digits stand from i on.
func rowOf(text []byte, i, n int) bool {
	if i+n > len(text) {
		return false
	}
	for _, c := range text[i : i+n] {
		if class[c]&(clsLower|clsUpper|clsDigit) == 0 {
			return false
		}
	}
	return true
}

// groupOf is the first group that matched, or the whole.
func groupOf(m []int) (lo, hi int) {
	for k := 2; k+1 < len(m); k += 2 {
		if m[k] >= 0 {
			return m[k], m[k+1]
		}
	}
	return m[0], m[1]
}

package redact

import (
	"regexp"
	"sync"
)

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
	c := &compiled{format: f, expression: sync.OnceValue(func() *regexp.Regexp {
		if f.back == 0 {
			return regexp.MustCompile(`\A(?:` + f.expr + `)`)
		}
		return regexp.MustCompile(f.expr)
	})}
	return keyword{word: f.word, fills: f.fill, form: true, expr: c}
}

// compiled is a format that is looked for.
type compiled struct {
	format
	expression func() *regexp.Regexp
}

// How far a look goes on behind what came of nothing. A text may hold nothing but the beginnings of a form: then the
// looks must not cost more than a few times the text.
const (
	backAhead  = 1024 // bytes behind the literal of a form that begins before it
	backSure   = 768  // of them: a form whose literal stands there would have been seen as a whole
	backTries  = 16   // beginnings of one form that are tried
	rejectSkip = 8    // a form that is not credible is not looked for again in one part of so many of it
)

// find looks for the form around its literal at i, n bytes long, and answers before which place its literal need not be
// looked at again.
func (f *compiled) find(text []byte, i, n int, add func(span)) int {
	if f.back == 0 && f.edge && i > 0 && (isWord(text[i-1]) && !emphasis(text, i-1) || text[i-1] == '.') || !rowOf(text, i+n, f.lead) {
		return i
	}
	ahead := maxForm
	switch {
	case f.whole && f.back > 0:
		if ahead = n + wholeTail; f.inLonger(text, i, i+ahead) {
			return i
		}
	case f.back > 0:
		ahead = backAhead
	}
	at, stop := max(0, i-f.back), min(len(text), i+ahead)
	for tries := 0; at <= i && tries < backTries; tries++ {
		m := f.expression().FindSubmatchIndex(text[at:stop])
		switch {
		case m == nil && ahead == backAhead:
			return i + backSure
		case m == nil:
			return i
		case at+m[0] > i:
			return at + m[0]
		}
		if next, ok := f.take(text, at, stop, m, i, n, add); ok {
			return next
		}
		at += m[0] + 1
	}
	return i
}

// take reports what matched when it is credible. It says whether the look is over, and where it went to.
func (f *compiled) take(text []byte, at, stop int, m []int, i, n int, add func(span)) (next int, over bool) {
	lo, hi := groupOf(m)
	start, end := at+lo, at+hi
	if f.whole && (start > 0 && class[text[start-1]]&clsBase64 != 0 || end < len(text) && class[text[end]]&clsBase64 != 0) {
		return i, true
	}
	if (f.chance || f.fill != "") && f.back == 0 && inBase64(text, start, end) {
		return i, true
	}
	if at+m[1] < i+n || f.back != 0 && f.edge && !alone(text, start, end) {
		return i, f.back == 0
	}
	if !credible(text[start:end], f.format) {
		return i + (end-i)/rejectSkip, f.back == 0
	}
	if end == stop {
		end = f.rest(text, end)
	}
	add(span{start, end, -1, f.kind})
	return end, true
}

// rest is where a form ends that is longer than what is looked at.
func (f *compiled) rest(text []byte, end int) int {
	more := uint16(clsBase64)
	if f.kind == kindPrivateKey {
		more |= clsSpace
	}
	for end < len(text) && (class[text[end]]&more != 0 || among(".=", text[end])) {
		end++
	}
	return end
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

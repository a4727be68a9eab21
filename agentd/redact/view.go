package redact

import "sort"

// view is a text as it reads once something is decoded or left out. back leads to the text it was made from.
type view struct {
	text   []byte
	parent *view
	back   func(start, end int) (int, int)
}

// root is where a stretch of v stands in the text that was given to be scanned.
func (v *view) root(start, end int) (int, int) {
	for ; v.parent != nil; v = v.parent {
		start, end = v.back(start, end)
	}
	return start, end
}

// unit is a stretch of decoded text with what it was decoded from. Between units both texts are the same.
type unit struct {
	to, toEnd, from, fromEnd int32
}

// units are in order. They map offsets of the decoded text to those of the source.
type units struct {
	all    []unit
	offset int // where the decoded window begins in the source
}

func (u *units) back(start, end int) (int, int) {
	return u.low(start), u.high(end)
}

// low is the source offset of the decoded byte at i.
func (u *units) low(i int) int {
	k := sort.Search(len(u.all), func(k int) bool { return int(u.all[k].to) > i }) - 1
	if k < 0 {
		return u.offset + i
	}
	if t := u.all[k]; i >= int(t.toEnd) {
		return int(t.fromEnd) + i - int(t.toEnd)
	}
	return int(u.all[k].from)
}

// high is the source offset behind the decoded byte before i.
func (u *units) high(i int) int {
	if i == 0 {
		return u.low(0)
	}
	k := sort.Search(len(u.all), func(k int) bool { return int(u.all[k].to) >= i }) - 1
	if k < 0 {
		return u.offset + i
	}
	if t := u.all[k]; i > int(t.toEnd) {
		return int(t.fromEnd) + i - int(t.toEnd)
	}
	return int(u.all[k].fromEnd)
}

// positions gives, for a text without whitespace, where each byte stands in its source; made when first asked.
type positions struct {
	source []byte
	at     []int32
}

func (p *positions) back(start, end int) (int, int) {
	if p.at == nil {
		p.at = make([]int32, 0, len(p.source))
		kept(p.source, func(at int) bool { p.at = append(p.at, int32(at)); return true })
	}
	if start >= end {
		return int(p.at[start]), int(p.at[start])
	}
	return int(p.at[start]), int(p.at[end-1]) + 1
}

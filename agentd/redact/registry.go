package redact

import (
	"cmp"
	"slices"
)

// registry finds known secrets: the values themselves and the encodings that can be written down beforehand.
type registry struct {
	known    []Known
	marks    []string // what stands in place of each
	short    []int    // indexes in known of values that need a context
	variants []variant
	anchors  []anchor
	sieve    sieve
	index    groups       // group → the first of its anchors, which stand together
	longest  int          // bytes of the longest value
	odd      bool         // a variant has no row of characters, so that what holds it may not look like a text
	heads    [256][]int32 // variants by their first byte, small letters for capitals
}

// variant is one way to write a secret. Whitespace and invisible characters are left out, as in the text compared.
type variant struct {
	secret int32
	form   []byte
	fold   bool // any case of ASCII letters will do
	whole  bool // must stand alone: no letter or digit beside it, nothing left out within
	before int8 // characters before that also carry bits of the secret
	after  int8
}

// minLength is how many bytes a value needs to be looked for wherever it stands.
const minLength = 6

func newRegistry(known []Known) *registry {
	r := &registry{known: known, marks: make([]string, len(known))}
	for i, k := range known {
		r.learn(int32(i), k.Value)
		for _, part := range partsOf(k.Value) {
			r.learn(int32(i), part)
		}
	}
	r.choose()
	for i, k := range known {
		r.marks[i] = "[SECRET:" + r.nameOf(k.Name) + "]"
	}
	return r
}

// learn adds the ways to write one secret.
func (r *registry) learn(i int32, value string) {
	solid := compacted([]byte(value))
	switch {
	case len(solid) == 0:
		return
	case len(solid) < minLength || len(solid) < 8 && isDigits(solid):
		r.short = append(r.short, int(i))
		return
	}
	r.longest = max(r.longest, len(value))
	for _, v := range variantsOf(value) {
		if len(v.form) >= minLength {
			v.secret = i
			r.variants = append(r.variants, v)
			r.odd = r.odd || !textual(v.form)
		}
	}
}

// anchor is a group of four bytes of a variant that the sieve knows. Each variant has one for every place of a text at
// which its group may begin: the sieve only looks at every third.
type anchor struct {
	variant int32
	at      int32 // where in the form it stands
	group   uint32
}

// choose picks for each variant the groups of four bytes that fewest others share, and builds the index.
func (r *registry) choose() {
	var used [1 << 16]uint16 // by hash: whether two groups are counted as one matters little
	for _, v := range r.variants {
		for _, at := range places(v.form) {
			used[groupAt(v.form, at)*golden>>16]++
		}
	}
	for i, v := range r.variants {
		best, from := -1, 0
		for _, at := range places(v.form) {
			if cost := 4*int(used[groupAt(v.form, at)*golden>>16]) + plainness(v.form[at:at+6]); best < 0 || cost < best {
				best, from = cost, at
			}
		}
		for k := range sieveStep {
			r.anchors = append(r.anchors, anchor{int32(i), int32(from + k), groupAt(v.form, from+k)})
		}
	}
	r.build()
}

func (r *registry) build() {
	slices.SortFunc(r.anchors, func(a, b anchor) int { return cmp.Compare(a.group, b.group) })
	r.sieve, r.index = newSieve(len(r.anchors)), newGroups(len(r.anchors))
	for i, a := range r.anchors {
		if i == 0 || r.anchors[i-1].group != a.group {
			r.index.put(a.group, int32(i))
			r.sieve.add(a.group)
		}
	}
	for i, v := range r.variants {
		head := v.form[0] | 0x20
		r.heads[head] = append(r.heads[head], int32(i))
	}
}

// places are the offsets at which the groups of a variant may be taken.
func places(form []byte) [4]int {
	last := len(form) - minLength
	return [4]int{0, min(4, last), min(9, last), last}
}

// plainness is higher for groups that stand in ordinary text.
func plainness(b []byte) (n int) {
	for _, c := range b {
		if c >= 'a' && c <= 'z' {
			n++
		}
	}
	return n
}

// match is a variant that was found in a text without whitespace.
type match struct {
	v          *variant
	start, end int
}

// find calls hit with every variant that stands in b.
func (r *registry) find(b []byte, hit func(match)) {
	if len(r.variants) == 0 {
		return
	}
	r.sieve.some(b, func(i int, group uint32) {
		k := r.index.get(group)
		if k < 0 {
			return
		}
		for ; int(k) < len(r.anchors) && r.anchors[k].group == group; k++ {
			v := &r.variants[r.anchors[k].variant]
			start := i - int(r.anchors[k].at)
			if end := start + len(v.form); start >= 0 && end <= len(b) && v.equals(b[start:end]) {
				hit(match{v, start, end})
			}
		}
	})
}

// any says whether a variant stands in b.
func (r *registry) any(b []byte) (yes bool) {
	r.find(b, func(match) { yes = true })
	return yes
}

func (v *variant) equals(b []byte) bool {
	for i, c := range v.form {
		if d := b[i]; d != c && (!v.fold || d^c != 0x20 || !isLetter(c)) {
			return false
		}
	}
	return true
}

// nameOf is a name as marks show it: plain characters only, and never a value.
func (r *registry) nameOf(name string) string {
	b := []byte(name)
	for i, c := range b {
		if !isWord(c) && c != '.' && c != '-' {
			b[i] = '_'
		}
	}
	b = b[:min(len(b), maxName)]
	bad := len(b) == 0
	r.find(b, func(match) { bad = true })
	for _, i := range r.short {
		bad = bad || r.known[i].Value == string(b)
	}
	if bad {
		return "unnamed"
	}
	return string(b)
}

const maxName = 64

package redact

import (
	"hash/maphash"
	"sync"
)

// span is a finding on its way: priority decides whose name a joint stretch gets.
type span struct {
	start, end int
	secret     int32 // index of a known secret, or -1
	kind       string
}

// walk is one scan: it reads a text and every view of it in which a secret could show itself.
type walk struct {
	reg     *registry
	rules   *rules
	window  int // bytes of plain text around something decoded that are read with it
	found   []span
	arena   []byte
	slab    []view
	parts   []unit
	numbers []number
	tmp     [16]byte
	views   map[viewKey]int // what was read, and how deep, once there is much of it
	count   int
	many    int // views from which on it is looked whether one comes by again
	left    int // bytes of views that may still be made
	over    bool
}

const (
	maxDepth   = 4       // views within views
	onlyKnown  = 5       // depth of a view in which nothing but known secrets can be new
	maxGrowth  = 64      // bytes of views for each byte of text
	freeGrowth = 2 << 20 // bytes of views whatever the text
	arenaKept  = 8 << 20 // memory of a walk that is kept for the next
)

var walks = sync.Pool{New: func() any { return new(walk) }}

// grab takes n bytes of scratch memory that last as long as the walk. None are left when a text is made to explode.
func (w *walk) grab(n int) []byte {
	if w.left -= n; w.left < 0 {
		w.over = true
		return nil
	}
	if cap(w.arena)-len(w.arena) < n {
		w.arena = make([]byte, 0, max(64<<10, 2*n, 2*cap(w.arena))) // views still read what the old one holds
	}
	at := len(w.arena)
	w.arena = w.arena[:at+n]
	return w.arena[at : at+n : at+n]
}

// read scans a view for known secrets, and for the forms of credentials when it is not the text itself, whose
// surroundings say more.
func (w *walk) read(v *view, depth int) {
	if w.again(v, depth) {
		return
	}
	solid := w.solid(v)
	if w.over {
		return
	}
	w.reg.find(solid.text, func(m match) { w.hit(v, solid, m) })
	if depth > 0 && depth < onlyKnown && w.rules != nil {
		w.forms(v)
	}
	if depth < maxDepth {
		w.open(v, solid, depth+1)
	}
}

// viewKey is a view by its text and where it stands.
type viewKey struct {
	start, end int
	sum        uint64
}

// manyViews is how many views are read before it is worth looking whether one comes by again, and for how many bytes of
// text there may be another: ordinary text has fewer.
const (
	manyViews = 64
	viewEvery = 64
)

var viewSeed = maphash.MakeSeed()

// again says whether a view of the same stretch with the same text was read before, at least as thoroughly. Escapes within
// escapes lead to it in many ways.
func (w *walk) again(v *view, depth int) bool {
	if w.count++; depth == 0 || w.count < w.many {
		return false
	}
	key := viewKey{sum: maphash.Bytes(viewSeed, v.text)}
	key.start, key.end = v.root(0, len(v.text))
	if before, ok := w.views[key]; ok && before <= depth {
		return true
	}
	if w.views == nil {
		w.views = map[viewKey]int{}
	}
	w.views[key] = depth
	return false
}

// open makes the views of a view.
func (w *walk) open(v, solid *view, depth int) {
	if v.dull {
		w.escapes(solid, depth)
		if solid.odd {
			w.wideLetters(solid, depth)
		}
		return
	}
	w.softened(v, depth)
	w.decoded(v, shellBlanks, depth)
	w.wide16(v, depth)
	w.escapes(solid, depth)
	w.mirrored(solid, depth)
	if !v.apart {
		w.base64Runs(v, depth)
	}
	w.zipped(solid, depth)
	w.hexRuns(solid, depth)
	w.dumped(v, depth)
	w.numberLists(v, depth)
	if depth > 1 && len(solid.text) < len(v.text) { // the zero bytes of wide characters are out of it
		w.numberLists(solid, depth)
	}
	if solid.odd {
		w.wideLetters(solid, depth)
	}
}

// hit notes a known secret. solid is v without whitespace.
func (w *walk) hit(v, solid *view, m match) {
	start, end := m.start, m.end
	if m.v.before > 0 && start > 0 && class[solid.text[start-1]]&clsBase64 != 0 {
		start--
	}
	if m.v.after > 0 && end < len(solid.text) && class[solid.text[end]]&clsBase64 != 0 {
		end++
	}
	start, end = solid.from.back(start, end)
	if m.v.whole && !(end-start == len(w.reg.known[m.v.secret].Value) && alone(v.text, start, end)) {
		return
	}
	w.add(v, span{start: start, end: end, secret: m.v.secret, kind: kindSecret})
}

// add notes a finding of a view where it stands in the text.
func (w *walk) add(v *view, s span) {
	s.start, s.end = v.root(s.start, s.end)
	w.found = append(w.found, s)
}

// alone says whether no letter or digit stands beside a stretch.
func alone(b []byte, start, end int) bool {
	return (start == 0 || !isWord(b[start-1])) && (end == len(b) || !isWord(b[end]))
}

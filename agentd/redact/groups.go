package redact

// groups is a table from a group of four bytes to a small number. It is read at every place that a sieve lets through, for
// which a map is too slow.
type groups struct {
	keys []uint32
	vals []int32 // number + 1; 0 is free
	mask uint32
}

func newGroups(n int) groups {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return groups{keys: make([]uint32, size), vals: make([]int32, size), mask: uint32(size - 1)}
}

func (g *groups) put(key uint32, val int32) {
	at := key * golden >> 7 & g.mask
	for g.vals[at] != 0 && g.keys[at] != key {
		at = (at + 1) & g.mask
	}
	g.keys[at], g.vals[at] = key, val+1
}

// get is the number of key, or -1.
func (g *groups) get(key uint32) int32 {
	for at := key * golden >> 7 & g.mask; ; at = (at + 1) & g.mask {
		if g.vals[at] == 0 || g.keys[at] == key {
			return g.vals[at] - 1
		}
	}
}

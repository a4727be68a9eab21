package redact

// groups is a table from a group of four bytes to a small number. It is read at every place that a sieve lets through, for
// which a map is too slow.
type groups struct {
	keys  []uint32
	vals  []int32 // number + 1; 0 is free
	mask  uint32
	shift uint
}

func newGroups(n int) groups {
	size, shift := 16, uint(28)
	for size < 4*n {
		size, shift = 2*size, shift-1
	}
	return groups{keys: make([]uint32, size), vals: make([]int32, size), mask: uint32(size - 1), shift: shift}
}

func (g *groups) put(key uint32, val int32) {
	at := key * golden >> (g.shift & 31)
	for g.vals[at] != 0 && g.keys[at] != key {
		at = (at + 1) & g.mask
	}
	g.keys[at], g.vals[at] = key, val+1
}

// get is the number of key, or -1.
func (g *groups) get(key uint32) int32 {
	for at := key * golden >> (g.shift & 31); ; at = (at + 1) & g.mask {
		if g.vals[at] == 0 || g.keys[at] == key {
			return g.vals[at] - 1
		}
	}
}

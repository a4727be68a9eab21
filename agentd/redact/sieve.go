package redact

import "encoding/binary"

// sieve says quickly where one of many byte strings could stand: it knows a group of four bytes of each, whatever the
// case of letters, and answers wrongly only in favour of a closer look.
type sieve struct {
	bits  []uint64
	shift uint
}

const (
	foldAll = 0x20202020 // sets the bit that tells small letters from capitals, in four bytes
	golden  = 0x9E3779B1 // spreads neighbouring groups over all bits
)

// newSieve makes a sieve for n groups.
func newSieve(n int) sieve {
	size := uint(13) // 1 KiB at least: it stays in the nearest cache
	for size < 20 && 1<<size < 64*n {
		size++
	}
	return sieve{bits: make([]uint64, 1<<size/64), shift: 32 - size}
}

func (s *sieve) add(group uint32) {
	h := group * golden >> s.shift
	s.bits[h>>6] |= 1 << (h & 63)
}

func (s *sieve) has(group uint32) bool {
	h := group * golden >> s.shift
	return s.bits[h>>6]>>(h&63)&1 != 0
}

// groupAt is the folded group of four bytes at i.
func groupAt(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) | foldAll }

// sieveStep is how far apart the places are at which some looks.
const sieveStep = 3

// some calls hit with every third offset in b, from the first on, at which the sieve lets something through.
func (s *sieve) some(b []byte, hit func(i int, group uint32)) {
	const fold8 = foldAll<<32 | foldAll
	i, bits, shift := 0, s.bits, s.shift&31
	for ; i+14 <= len(b); i += 4 * sieveStep {
		w, x := binary.LittleEndian.Uint64(b[i:])|fold8, binary.LittleEndian.Uint64(b[i+6:])|fold8
		h0, h1 := uint32(w)*golden>>shift, uint32(w>>24)*golden>>shift
		h2, h3 := uint32(x)*golden>>shift, uint32(x>>24)*golden>>shift
		any := bits[h0>>6]>>(h0&63) | bits[h1>>6]>>(h1&63) | bits[h2>>6]>>(h2&63) | bits[h3>>6]>>(h3&63)
		if any&1 == 0 {
			continue
		}
		for k := range 4 {
			if g := groupAt(b, i+k*sieveStep); s.has(g) {
				hit(i+k*sieveStep, g)
			}
		}
	}
	for ; i+4 <= len(b); i += sieveStep {
		if g := groupAt(b, i); s.has(g) {
			hit(i, g)
		}
	}
}

// each calls hit with every offset in b at which the sieve lets something through. Eight bytes are read at once and
// hold five groups.
func (s *sieve) each(b []byte, hit func(i int, group uint32)) {
	const fold8 = foldAll<<32 | foldAll
	i, bits, shift := 0, s.bits, s.shift&31
	for ; i+8 <= len(b); i += 5 {
		w := binary.LittleEndian.Uint64(b[i:]) | fold8
		h0, h1, h2 := uint32(w)*golden>>shift, uint32(w>>8)*golden>>shift, uint32(w>>16)*golden>>shift
		h3, h4 := uint32(w>>24)*golden>>shift, uint32(w>>32)*golden>>shift
		any := bits[h0>>6]>>(h0&63) | bits[h1>>6]>>(h1&63) | bits[h2>>6]>>(h2&63) | bits[h3>>6]>>(h3&63) | bits[h4>>6]>>(h4&63)
		if any&1 == 0 {
			continue
		}
		for k := range 5 {
			if g := uint32(w >> (8 * k)); s.has(g) {
				hit(i+k, g)
			}
		}
	}
	for ; i+4 <= len(b); i++ {
		if g := groupAt(b, i); s.has(g) {
			hit(i, g)
		}
	}
}

package recall

import (
	"encoding/binary"
	"math"
)

// perBlock is how many entries stand in one row: few rows are read fast, and one that changes is written fast.
const perBlock = 64

// plane says of each number of a vector whether something holds, one bit each.
type plane [Dims / 8]byte

func (p *plane) set(i int) { p[i/8] |= 1 << (i % 8) }

func (p *plane) has(i int) bool { return p[i/8]&(1<<(i%8)) != 0 }

// entry is what a scan knows of a text: the direction of its vector, roughly, which stems it may hold, and what bounds a search. All
// zero: there is none.
type entry struct {
	plus, minus plane  // which numbers of the vector stand out above zero, and below
	count       uint16 // how many do
	stems       plane  // the hashes of its stems
	marks       uint16 // how many there are
	length      uint16 // how many stems the text has
	clean       bool
	group, kind uint32 // hashed

	meant  bool  // what the text means is known
	upward plane // which numbers of that are above zero
}

// outstanding is the share of the largest number of a vector from which one stands out. The others are mostly chance.
const outstanding = 0.2

// hold keeps the direction of a vector.
func (e *entry) hold(v vector) {
	e.plus, e.minus, e.count = plane{}, plane{}, 0
	for i, x := range v {
		switch {
		case float64(x) > outstanding*127:
			e.plus.set(i)
		case float64(x) < -outstanding*127:
			e.minus.set(i)
		default:
			continue
		}
		e.count++
	}
}

// there says whether there is such a text, and whether it says anything.
func (e *entry) there() bool { return e.length > 0 }

// mark keeps the stems of a text.
func (e *entry) mark(stems []string) {
	e.stems, e.marks, e.length = plane{}, 0, uint16(min(len(stems), math.MaxUint16)) //nolint:gosec // it is bounded
	for _, s := range stems {
		if i := place(s); !e.stems.has(i) {
			e.stems.set(i)
			e.marks++
		}
	}
}

// place is that of a stem in a plane.
func place(stem string) int { return int(hashed(stem) % Dims) }

// bound keeps what bounds a search for a text.
func (e *entry) bound(t Text) { e.group, e.kind, e.clean = hashed(t.Group), hashed(t.Kind), t.Clean }

// sums are those of the numbers of a question's vector, for each eight of them and each choice among these.
type sums [len(plane{})][256]int16

func (v *vector) sums() *sums {
	var all sums
	for at := range all {
		for choice := range 256 {
			for bit := range 8 {
				if choice&(1<<bit) != 0 {
					all[at][choice] += int16(v[at*8+bit])
				}
			}
		}
	}
	return &all
}

// like is about how near an entry is to the question, comparable with that of other entries.
func (s *sums) like(e *entry) float64 {
	var sum int32
	for i := range s {
		sum += int32(s[i][e.plus[i]]) - int32(s[i][e.minus[i]])
	}
	return float64(sum) / math.Sqrt(float64(max(e.count, 1)))
}

// block is one row of entries: that of the id n is at n%perBlock of block n/perBlock.
type block [perBlock]entry

func (b *block) of(id int64) *entry { return &b[id%perBlock] }

// texts counts the entries that there are, and the stems of their texts.
func (b *block) texts() (n, stems int) {
	for i := range b {
		if b[i].there() {
			n++
			stems += int(b[i].length)
		}
	}
	return n, stems
}

// entrySize is that of an entry as it is kept.
const entrySize = 4*len(plane{}) + 3*2 + 1 + 2*4

func (b *block) bytes() []byte {
	data := make([]byte, 0, perBlock*entrySize)
	for i := range b {
		e := &b[i]
		data = append(append(append(append(data, e.plus[:]...), e.minus[:]...), e.stems[:]...), e.upward[:]...)
		for _, n := range []uint16{e.count, e.marks, e.length} {
			data = binary.LittleEndian.AppendUint16(data, n)
		}
		data = append(data, bit(e.clean)|bit(e.meant)<<1)
		data = binary.LittleEndian.AppendUint32(data, e.group)
		data = binary.LittleEndian.AppendUint32(data, e.kind)
	}
	return data
}

func bit(on bool) byte {
	if on {
		return 1
	}
	return 0
}

// read takes over what bytes gave; anything else leaves the block as it is.
func (b *block) read(data []byte) {
	if len(data) != perBlock*entrySize {
		return
	}
	for i := range b {
		e := &b[i]
		data = data[copy(e.plus[:], data):]
		data = data[copy(e.minus[:], data):]
		data = data[copy(e.stems[:], data):]
		data = data[copy(e.upward[:], data):]
		for _, n := range []*uint16{&e.count, &e.marks, &e.length} {
			*n, data = binary.LittleEndian.Uint16(data), data[2:]
		}
		e.clean, e.meant = data[0]&1 != 0, data[0]&2 != 0
		e.group, e.kind = binary.LittleEndian.Uint32(data[1:]), binary.LittleEndian.Uint32(data[5:])
		data = data[9:]
	}
}

package recall

import (
	"encoding/binary"
	"math"
)

// Vectors stand in rows of many: few rows are read fast, and one that changes is written fast. Beside each stands what bounds a
// search, so that to scan them all no other table is read.
const (
	perBlock  = 64
	entrySize = Dims + 4 + 4 + 4 + 1 // the vector, its length, the hashes of group and kind, whether it is clean
)

// block is one row of vectors.
type block []byte

// entry is one vector with what bounds it. All zero: there is none.
type entry []byte

func (b block) of(id int64) entry { return b.at(int(id % perBlock)) }

func (b block) at(n int) entry { return entry(b[n*entrySize : (n+1)*entrySize]) }

func (e entry) hold(v vector) {
	for i, x := range v {
		e[i] = byte(x)
	}
	binary.LittleEndian.PutUint32(e[Dims:], math.Float32bits(float32(v.length())))
}

func (e entry) bound(t Text) {
	binary.LittleEndian.PutUint32(e[Dims+4:], hashed(t.Group))
	binary.LittleEndian.PutUint32(e[Dims+8:], hashed(t.Kind))
	e[Dims+12] = 0
	if t.Clean {
		e[Dims+12] = 1
	}
}

func (e entry) length() float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(e[Dims:])))
}

func (e entry) group() uint32 { return binary.LittleEndian.Uint32(e[Dims+4:]) }

func (e entry) kind() uint32 { return binary.LittleEndian.Uint32(e[Dims+8:]) }

func (e entry) clean() bool { return e[Dims+12] == 1 }

// product is how much a vector and that of an entry have in common, not yet divided by their lengths.
func (e entry) product(a *vector) (sum int32) {
	b := e[:Dims]
	for i := 0; i < Dims; i += 4 {
		sum += int32(a[i])*int32(int8(b[i])) + int32(a[i+1])*int32(int8(b[i+1])) +
			int32(a[i+2])*int32(int8(b[i+2])) + int32(a[i+3])*int32(int8(b[i+3]))
	}
	return sum
}

package recall

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Space says by whose word meanings are: those of two cannot be compared.
type Space struct {
	Provider, Model string
	Dims            int // numbers of a vector as the model gives it
}

// Meaning is the vector of what a text means, condensed to as many numbers as an index keeps of one.
type Meaning [Dims]int8

// Condense makes a Meaning of the vector of a model: each number is spread over all that are kept, with signs drawn once for ever, so
// that vectors which point the same way still do (random projection).
func Condense(numbers []float32) Meaning {
	var sum [Dims]float64
	for i, x := range numbers {
		for word := range Dims / 64 {
			signs := drawn(uint64(i)*(Dims/64) + uint64(word)) //nolint:gosec // both are small and above zero
			for bit := range 64 {
				if signs&(1<<bit) != 0 {
					sum[word*64+bit] += float64(x)
				} else {
					sum[word*64+bit] -= float64(x)
				}
			}
		}
	}
	return Meaning(quantised(&sum))
}

// drawn are the n-th 64 signs (SplitMix64).
func drawn(n uint64) uint64 {
	n = (n + 1) * 0x9E3779B97F4A7C15
	n = (n ^ n>>30) * 0xBF58476D1CE4E5B9
	n = (n ^ n>>27) * 0x94D049BB133111EB
	return n ^ n>>31
}

// Bytes are the numbers as they are kept.
func (m *Meaning) Bytes() []byte {
	b := make([]byte, Dims)
	for i, x := range m {
		b[i] = byte(x)
	}
	return b
}

// ReadMeaning is a Meaning of what Bytes gave; false for anything else.
func ReadMeaning(b []byte) (m Meaning, ok bool) {
	if len(b) != Dims {
		return m, false
	}
	for i, x := range b {
		m[i] = int8(x) //nolint:gosec // that is how it was kept
	}
	return m, true
}

// upward is which numbers are above zero; none of no Meaning.
func (m *Meaning) upward() (p plane) {
	if m == nil {
		return p
	}
	for i, x := range m {
		if x > 0 {
			p.set(i)
		}
	}
	return p
}

// apart is in how many places two planes differ.
func (p *plane) apart(o *plane) (n int) {
	for i := 0; i < len(p); i += 8 { // eight bytes at once: this is done for every text of every search
		n += bits.OnesCount64(binary.LittleEndian.Uint64(p[i:]) ^ binary.LittleEndian.Uint64(o[i:]))
	}
	return n
}

// alikeness is about the cosine of two vectors whose signs differ in so many places.
var alikeness = func() (all [Dims + 1]float64) {
	for n := range all {
		all[n] = math.Cos(math.Pi * float64(n) / Dims)
	}
	return all
}()

package recall

import "math"

// Dims is how many numbers a vector has, each one byte.
const Dims = 256

// vector is what a text is about as a point; the product of two is large when they share many letters in a row.
type vector [Dims]int8

// grams are the stretches of letters of a word, hashed (FNV-1a): three and four in a row, with its beginning and end marked.
func grams(word string) []uint32 {
	marked := "\x02" + word + "\x03"
	starts := make([]int, 0, len(marked)+1)
	for at := range marked {
		starts = append(starts, at)
	}
	starts = append(starts, len(marked))
	all := make([]uint32, 0, 2*len(starts))
	for _, n := range []int{3, 4} {
		for i := 0; i+n < len(starts); i++ {
			all = append(all, hashed(marked[starts[i]:starts[i+n]]))
		}
	}
	return all
}

func hashed(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// embed makes the vector of words, each with its weight. Hashes say which number a stretch of letters changes, and in which
// direction, so that what collides cancels out on average (feature hashing). split is grams, or remembers what that said.
func embed(words []string, weight func(string) float64, split func(string) []uint32) vector {
	var sum [Dims]float64
	for _, w := range words {
		g := split(w)
		by := weight(w) / math.Sqrt(float64(max(len(g), 1)))
		for _, h := range g {
			if h&(1<<31) != 0 {
				sum[h%Dims] += by
			} else {
				sum[h%Dims] -= by
			}
		}
	}
	return quantised(&sum)
}

// quantised keeps the direction of a vector in whole numbers: the largest is 127.
func quantised(sum *[Dims]float64) (v vector) {
	largest := 0.0
	for _, x := range sum {
		largest = max(largest, math.Abs(x))
	}
	if largest == 0 {
		return v
	}
	for i, x := range sum {
		v[i] = int8(math.Round(x / largest * 127))
	}
	return v
}

// cosine says how much two vectors point the same way, -1 to 1.
func (v *vector) cosine(w *vector) float64 {
	var sum int32
	for i := range v {
		sum += int32(v[i]) * int32(w[i])
	}
	return float64(sum) / max(v.length()*w.length(), 1)
}

func (v *vector) length() float64 {
	sum := 0
	for _, x := range v {
		sum += int(x) * int(x)
	}
	return math.Sqrt(float64(sum))
}

const (
	partly = 0.8 // a word that only stands within a longer one counts less than the word itself
	unlike = 0.3 // below this, shared letters are chance
)

// alike says how alike two words are that share so many stretches of letters, from 0 to 1: by how many that is of both, or of the
// shorter one when it is a part of the longer one.
func alike(shared, a, b int) float64 {
	if shared == 0 {
		return 0
	}
	dice := 2 * float64(shared) / float64(a+b)
	part := partly * float64(shared) / float64(min(a, b))
	if likeness := max(dice, part); likeness >= unlike {
		return min(likeness, 1)
	}
	return 0
}

package ingress

import "unicode/utf8"

// cueBits is how many bits of a hash name a cue.
const cueBits = 19

// ofWord gives the cues of a word: itself, its beginning, its end and what lies between.
func ofWord(s string) []uint32 {
	all := []uint32{mixed(aWord, hashed(0, s), 0)}
	at := starts(s)
	if r, _ := utf8.DecodeRuneInString(s); unbroken(r) {
		for i := 0; i+2 < len(at); i++ {
			all = append(all, mixed(aPart, hashed(3, s[at[i]:at[i+2]]), 0))
		}
		return all
	}
	if len(at) <= 5 {
		return all
	}
	for i := 0; i+4 < len(at); i++ {
		all = append(all, mixed(aPart, hashed(uint32(min(i, 1)), s[at[i]:at[i+4]]), 0))
	}
	for size := 5; size <= 6 && size < len(at); size++ {
		all = append(all, mixed(aPart, hashed(2, s[:at[size]]), 0))
	}
	return append(all, mixed(anEnd, hashed(0, s[at[len(at)-4]:]), 0))
}

// starts gives where the runes of s start, and its length.
func starts(s string) (at []int) {
	for i := range s {
		at = append(at, i)
	}
	return append(at, len(s))
}

// hashed is FNV-1a with digits all alike.
func hashed(seed uint32, s string) uint32 {
	h := 2166136261 ^ seed
	for i := range len(s) {
		c := s[i]
		if c >= '0' && c <= '9' {
			c = '0'
		}
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// mixed brings a kind and two hashes to the name of a cue.
func mixed(kind, a, b uint32) uint32 {
	h := uint64(kind)*0x9E3779B97F4A7C15 ^ uint64(a)<<32 ^ uint64(b)
	h ^= h >> 31
	h *= 0xBF58476D1CE4E5B9
	h ^= h >> 29
	h *= 0x94D049BB133111EB
	return uint32(h >> (64 - cueBits))
}

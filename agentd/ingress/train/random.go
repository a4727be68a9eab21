package main

// source is a small generator of numbers that is the same everywhere and in every release.
type source struct{ state uint64 }

func random(seed uint64) *source { return &source{seed} }

// below gives a number from 0 to n-1.
func (s *source) below(n int) int {
	s.state += 0x9E3779B97F4A7C15
	z := s.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return int((z ^ z>>31) % uint64(n))
}

// order is a row of 0 to n-1 in any order.
func (s *source) order(n int) []int {
	all := make([]int, n)
	for i := range all {
		j := s.below(i + 1)
		all[i], all[j] = all[j], i
	}
	return all
}

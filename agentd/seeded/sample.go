package seeded

import (
	"math/rand/v2"
	"os"
	"slices"
)

// Sample picks one case out of every so many, the same ones in every run. With GATEHOUSE_SOAK it returns all cases.
func Sample[T any](all []T, every int) []T {
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		return all
	}
	r := rand.New(rand.NewPCG(1, uint64(every)))
	some := make([]T, 0, len(all)/every+1)
	for part := range slices.Chunk(all, every) {
		some = append(some, part[r.IntN(len(part))])
	}
	return some
}

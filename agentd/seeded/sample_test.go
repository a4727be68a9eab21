package seeded_test

import (
	"os"
	"slices"
	"testing"

	"gatehouse/agentd/seeded"
)

// TestSample: a sample spreads over all cases and is the same each time. A long run takes all of them.
func TestSample(t *testing.T) {
	t.Parallel()
	all := make([]int, 95)
	for i := range all {
		all[i] = i
	}
	some := seeded.Sample(all, 10)
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		if !slices.Equal(some, all) {
			t.Errorf("a long run takes %v", some)
		}
		return
	}
	if len(some) != 10 || !slices.Equal(some, seeded.Sample(all, 10)) {
		t.Fatalf("the sample is %v", some)
	}
	for i, v := range some {
		if v/10 != i {
			t.Errorf("the sample holds %d in place %d", v, i)
		}
	}
	if !slices.Equal(seeded.Sample(all, 1), all) {
		t.Error("one of every one is not all")
	}
}

package seeded

import (
	"slices"
	"testing"
)

// TestTurn: each story belongs to exactly one of the turns, and those have the same number of stories.
func TestTurn(t *testing.T) {
	t.Parallel()
	sizes := map[string]int{}
	for i := range uint32(300) {
		n := 0
		for _, which := range []string{"1/3", "2/3", "3/3"} {
			mine, err := turn(which, i)
			if err != nil {
				t.Fatal(err)
			}
			if mine {
				n++
				sizes[which]++
			}
		}
		if n != 1 {
			t.Errorf("story %d has %d turns", i, n)
		}
	}
	for which, n := range sizes {
		if n != 100 {
			t.Errorf("turn %s takes %d of 300", which, n)
		}
	}
	for _, which := range []string{"0/3", "4/3", "x", "1", "-1/3", "1/3x"} {
		if _, err := turn(which, 1); err == nil {
			t.Errorf("%q is taken for a turn", which)
		}
	}
}

// TestOne: one turn after the other takes the next case, and without turns all are taken.
func TestOne(t *testing.T) {
	for which, want := range map[string][]int{"1/6": {1}, "2/6": {2}, "4/6": {4}, "5/6": {1}, "": {1, 2, 3, 4}} {
		t.Setenv("GATEHOUSE_TURN", which)
		if got := One(t, []int{1, 2, 3, 4}); !slices.Equal(got, want) {
			t.Errorf("turn %q takes %v, want %v", which, got, want)
		}
	}
}

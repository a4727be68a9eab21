package billing

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
)

// TestPasses: each that is due is done once, in parts; of a part that fails each is tried by itself, so that what is wrong with one keeps
// no other from being done.
func TestPasses(t *testing.T) {
	t.Parallel()
	const bad, n = 230, 430
	var due []int
	for i := range n {
		due = append(due, i)
	}
	some := func(after int) ([]int, error) {
		from := 0
		if after > 0 {
			from = after + 1
		}
		return due[from:min(from+someDue, n)], nil
	}
	var mu sync.Mutex
	times := map[int]int{}
	errBad := errors.New("wrong")
	done, err := passes(t.Context(), some, 7, func(part []int) (int, error) {
		if slices.Contains(part, bad) {
			return 0, errBad
		}
		mu.Lock()
		defer mu.Unlock()
		for _, one := range part {
			times[one]++
		}
		return len(part), nil
	})
	if done != n-1 || !errors.Is(err, errBad) || len(times) != n-1 {
		t.Fatalf("%d done, %d of them, %v", done, len(times), err)
	}
	for one, n := range times {
		if n != 1 {
			t.Errorf("%d was done %d times", one, n)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if done, err := passes(ctx, some, 7, func(part []int) (int, error) { return len(part), nil }); done != 0 || err == nil {
		t.Errorf("%d done when it is to stop, %v", done, err)
	}
}

package linear_test

import (
	"testing"

	"gatehouse/agentd/linear"
)

// recorder is a test that only notes whether it failed.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }

// TestCheck: in the soak, what costs more than it should fails. Otherwise nothing is measured.
func TestCheck(t *testing.T) {
	ran := 0
	t.Setenv("GATEHOUSE_SOAK", "")
	linear.Check(t, "once", 1, func(n int) { ran += n })
	if ran != 4 {
		t.Errorf("without a measurement the sizes that ran sum to %d", ran)
	}
	t.Setenv("GATEHOUSE_SOAK", "1")
	for name, c := range map[string]struct {
		run  func(n int)
		fail bool
	}{
		"linear": {func(n int) { linear.Turn(20 * n) }, false},
		"square": {func(n int) { linear.Turn(10 * n * n) }, true},
		"little": {func(n int) { linear.Turn(n * n) }, false},
	} {
		r := &recorder{TB: t}
		if linear.Check(r, name, 1, c.run); r.failed != c.fail {
			t.Errorf("%s: failed %v", name, r.failed)
		}
	}
}

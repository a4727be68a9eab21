package linear_test

import (
	"testing"

	"gatehouse/agentd/linear"
)

// told is a test that only notes whether it was failed.
type told struct {
	testing.TB
	failed bool
}

func (f *told) Helper()               {}
func (f *told) Errorf(string, ...any) { f.failed = true }

var sink int

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		run  func(n int)
		fail bool
	}{
		"linear": {func(n int) { work(n * 100_000) }, false},
		"square": {func(n int) { work(n * n * 400) }, true},
		"little": {func(n int) { work(n) }, false},
	} {
		f := &told{TB: t}
		if linear.Check(f, name, 100, c.run); f.failed != c.fail {
			t.Errorf("%s: failed %v", name, f.failed)
		}
	}
}

func work(n int) {
	for i := range n {
		sink += i ^ sink
	}
}

package linear

import (
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	factor = 4          // how much larger the larger input is
	most   = 2 * factor // how much more it may cost; with the square of the size it is 16 times
	enough = 50         // a larger input that costs less than so many turns is fast enough, however the cost grows
)

// Check fails the test when run costs much more than four times as much for four times the size. It measures the processor
// time of its own thread, so that other load does not count, and a small cost in turns of a loop, so that a faster machine
// comes to the same result. It measures again before it fails. Only the soak (GATEHOUSE_SOAK) measures, where nothing else
// runs; otherwise the large input is run once.
func Check(t testing.TB, what string, size int, run func(size int)) {
	t.Helper()
	if os.Getenv("GATEHOUSE_SOAK") == "" {
		run(factor * size)
		return
	}
	var small, large time.Duration
	for range 3 {
		small, large = used(t, func() { run(size) }), used(t, func() { run(factor * size) })
		if large < most*small || large < used(t, func() { Turn(enough) }) {
			return
		}
	}
	t.Errorf("%s: %v for a size of %d, %v for %d", what, small, size, large, factor*size)
}

var sink int

// Turn spends the processor time of so many turns: about a millisecond each, on a machine of 2025.
func Turn(n int) {
	for i := range n * 1_000_000 {
		sink += i ^ sink
	}
}

// used is the processor time of fn.
func used(t testing.TB, fn func()) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := thread(t)
	fn()
	return thread(t) - before
}

// thread is the processor time that this thread has used.
func thread(t testing.TB) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

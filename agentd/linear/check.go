package linear

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	factor = 4                     // how much larger the larger input is
	most   = 2 * factor            // how much longer it may take; with the square of the size it is 16 times
	enough = 50 * time.Millisecond // below this nothing can be told, and nothing is wrong
)

// Check fails the test when run takes much more than four times as long for four times the size. It looks at the
// processor time of its own thread, so that other load does not count, and looks again before it complains.
func Check(t testing.TB, what string, size int, run func(size int)) {
	t.Helper()
	var small, large time.Duration
	for range 3 {
		small, large = used(t, func() { run(size) }), used(t, func() { run(factor * size) })
		if large < enough || large < most*small {
			return
		}
	}
	t.Errorf("%s: %v for a size of %d, %v for %d", what, small, size, large, factor*size)
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

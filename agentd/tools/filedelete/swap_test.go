package filedelete_test

import "golang.org/x/sys/unix"

// swap exchanges two names as fast as it can until stop is closed, and answers how often.
func swap(a, b string, stop <-chan struct{}) <-chan int {
	done := make(chan int, 1)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				done <- n
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
			}
		}
	}()
	return done
}

package kept

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Lock is a locked file. The kernel unlocks it when the process ends, however it ends; child processes do not inherit it.
type Lock struct{ file *os.File }

// Exclusive waits until nobody else holds the lock of that file, which it makes when it is missing.
func Exclusive(path string) (*Lock, error) { return lock(path, syscall.LOCK_EX) }

// Shared waits until nobody holds the lock as Exclusive, and holds it beside others.
func Shared(path string) (*Lock, error) { return lock(path, syscall.LOCK_SH) }

// Release lets go of it.
func (l *Lock) Release() { _ = l.file.Close() }

// LeftAlone releases a shared lock, and says whether nobody else holds it. Then it is an exclusive lock until alone has
// returned. It is about the file that was locked, also when another one has its name by now.
func (l *Lock) LeftAlone(alone func() error) (bool, error) {
	defer l.Release()
	err := flock(l.file, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, alone()
}

func lock(path string, how int) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if err := flock(f, how); err != nil {
		_ = f.Close()
		return nil, err
	}
	return &Lock{file: f}, nil
}

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, syscall.EINTR):
			return fmt.Errorf("lock %s: %w", f.Name(), err)
		}
	}
}

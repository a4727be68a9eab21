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
// returned.
func (l *Lock) LeftAlone(alone func() error) (bool, error) {
	path := l.file.Name()
	l.Release()
	own, err := lock(path, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer own.Release()
	return true, alone()
}

func lock(path string, how int) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	for {
		err = syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return &Lock{file: f}, nil
}

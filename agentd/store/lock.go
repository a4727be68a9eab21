package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// A process that was just started by another agentd shares its lock for the moment between fork and exec: a lock that
// is held is tried again for so long.
const (
	lockWithin = 2 * time.Second
	lockEvery  = 10 * time.Millisecond
)

// lockName is the file that a running agentd holds.
const lockName = "agentd.lock"

// lock takes the state directory for this process.
func lock(dir string) (*os.File, error) {
	f, err := hold(dir, lockName)
	if errors.Is(err, ErrHeld) {
		return nil, fmt.Errorf("%w: %s", ErrInUse, dir)
	}
	return f, err
}

// Hold takes a lock of the state directory that is a file of that name, until it is closed: ErrHeld while another
// process has it. The kernel lets go of it however the process ends.
func Hold(dir, name string) (io.Closer, error) { return hold(dir, name) }

func hold(dir, name string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	for tried := time.Duration(0); ; tried += lockEvery {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) || tried >= lockWithin {
			break
		}
		time.Sleep(lockEvery)
	}
	if err == nil {
		return f, nil
	}
	_ = f.Close() // nothing was written
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("%w: %s", ErrHeld, name)
	}
	return nil, fmt.Errorf("lock state directory: %w", err)
}

// held says whether another process holds the lock of f.
func held(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	return errors.Is(err, syscall.EWOULDBLOCK)
}

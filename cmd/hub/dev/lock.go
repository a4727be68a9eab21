package dev

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Lock is one run's hold on a data folder; the kernel lets go of it when the process ends, however it ends.
type Lock struct{ file *os.File }

// Acquire takes the data folder for this process and notes where the hub can be found. When another process has it,
// the error says where that one is.
func Acquire(dir, url string) (*Lock, error) {
	path := filepath.Join(dir, "run.lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		defer func() { _ = f.Close() }()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("already running with this data at %s: open that, or stop it with Ctrl-C where it was started", holder(path))
		}
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	if err := errors.Join(f.Truncate(0), write(f, url)); err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	return &Lock{file: f}, nil
}

// Release gives the folder back.
func (l *Lock) Release() { _ = l.file.Close() }

func write(f *os.File, url string) error {
	_, err := f.WriteAt([]byte(url+"\n"), 0)
	return err
}

func holder(path string) string {
	b, err := os.ReadFile(path)
	if err != nil || len(b) == 0 {
		return "an address it has not noted yet"
	}
	return strings.TrimSpace(string(b))
}

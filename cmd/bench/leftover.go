package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"gatehouse/cmd/hub/rig"
)

// folders is how the folders of benches are called, and owner the file in each that its bench holds locked. The kernel
// unlocks it when the bench ends, however it ends.
const (
	folders = "gatehouse-bench-*"
	owner   = "bench.lock"
)

// leaving is how long programs of a killed bench may take to end by themselves.
const leaving = 20 * time.Second

// folder makes a folder below parent that is locked until the bench ends. The lock gets its name once it is held: another
// bench that found it earlier would take the folder for an abandoned one.
func (b *bench) folder(parent string) (string, error) {
	dir, err := os.MkdirTemp(parent, folders)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, owner)
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	b.owned = append(b.owned, f)
	return dir, errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB), os.Rename(path+".new", path))
}

// sweepAll ends and deletes what killed benches left on this machine.
func sweepAll(ctx context.Context) error {
	disk, err := onDisk()
	return errors.Join(err, sweep(ctx, disk), sweep(ctx, tmpfsAt), sweep(ctx, os.TempDir()))
}

// sweep ends and deletes what killed benches left below parent.
func sweep(ctx context.Context, parent string) error {
	dirs, err := filepath.Glob(filepath.Join(parent, folders))
	errs := []error{err}
	for _, dir := range dirs {
		if abandoned(dir) {
			errs = append(errs, empty(ctx, dir))
		}
	}
	return errors.Join(errs...)
}

// abandoned reports whether the bench that made dir has ended.
func abandoned(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, owner), os.O_RDWR, 0)
	if err != nil {
		return false // its bench is just making or deleting it
	}
	defer func() { _ = f.Close() }()
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// empty ends the programs that work in dir and deletes it. Those that do not end in time are killed.
func empty(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, leaving)
	defer cancel()
	signalAll(dir, syscall.SIGINT)
	if !rig.Until(ctx, func() bool { return len(working(dir)) == 0 }) {
		signalAll(dir, syscall.SIGKILL)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("clear %s of a killed bench: %w", dir, err)
	}
	return nil
}

func signalAll(dir string, sig syscall.Signal) {
	for _, pid := range working(dir) {
		_ = syscall.Kill(pid, sig) // it may have ended
	}
}

// working lists the programs whose settings or arguments place their data below dir.
func working(dir string) []int {
	all, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well formed
	var found []int
	for _, p := range all {
		pid, _ := strconv.Atoi(filepath.Base(p)) // the pattern lets only numbers through
		env, _ := os.ReadFile(filepath.Join(p, "environ"))
		line, _ := os.ReadFile(filepath.Join(p, "cmdline")) // either may not be ours to read
		if pid != os.Getpid() && (bytes.Contains(env, []byte("="+dir+"/")) || bytes.Contains(line, []byte("-D\x00"+dir+"/"))) {
			found = append(found, pid)
		}
	}
	return found
}

package devpg

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// The children of a killed main process hold its shared memory for a moment; the test holds it as they would.
func TestRevive_waitsForHeldMemory(t *testing.T) {
	t.Parallel()
	s, release := killed(t)
	revived := make(chan error, 1)
	go func() { revived <- s.Revive(t.Context()) }()
	s.refused(t, revived)
	release()
	if err := <-revived; err != nil {
		t.Fatal(err)
	}
}

// A start that was given up says what it has waited for.
func TestRevive_saysWhatHolds(t *testing.T) {
	t.Parallel()
	s, _ := killed(t)
	ctx, giveUp := context.WithCancel(t.Context())
	revived := make(chan error, 1)
	go func() { revived <- s.Revive(ctx) }()
	s.refused(t, revived)
	giveUp()
	if err := <-revived; !errors.Is(err, context.Canceled) || !errors.Is(err, errHeld) {
		t.Error(err)
	}
	if err := waitFor(t.Context(), s.quiet); err != nil { // the last try is refused, too, before the memory is free
		t.Error(err)
	}
}

// quiet says whether no process works on the folder of s.
func (s *Server) quiet() (bool, error) {
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, p := range all {
		if line, err := os.ReadFile(p); err == nil && strings.Contains(string(line), s.data()) {
			return false, nil
		}
	}
	return true, err
}

// killed starts a server, holds its shared memory and kills it.
func killed(t *testing.T) (s *Server, release func()) {
	t.Helper()
	s = start(t, Options{Dir: dir(t), Durable: true})
	release = holdMemory(t, s)
	t.Cleanup(release)
	if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := waitFor(t.Context(), func() (bool, error) { return !s.Alive(), nil }); err != nil {
		t.Fatal(err)
	}
	return s, release
}

// refused waits until two tries to start have been refused for the memory.
func (s *Server) refused(t *testing.T, revived <-chan error) {
	t.Helper()
	err := waitFor(t.Context(), func() (bool, error) {
		select {
		case err := <-revived:
			t.Fatalf("revived over memory that was in use: %v", err)
		default:
		}
		said, err := os.ReadFile(filepath.Join(s.opts.Dir, "postgres.log"))
		return strings.Count(string(said), "pre-existing shared memory block") > 1, err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// holdMemory attaches to the shared memory that line 7 of postmaster.pid names, and gives back how to let go.
func holdMemory(t *testing.T, s *Server) (release func()) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(strings.Split(string(b), "\n")[6])
	id, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil {
		t.Fatal(err)
	}
	const readOnly = 0o10000 // SHM_RDONLY of shmat(2)
	addr, _, errno := syscall.Syscall(syscall.SYS_SHMAT, uintptr(id), 0, readOnly)
	if errno != 0 {
		t.Fatal(errno)
	}
	return sync.OnceFunc(func() {
		if _, _, errno := syscall.Syscall(syscall.SYS_SHMDT, addr, 0, 0); errno != 0 {
			t.Error(errno)
		}
	})
}

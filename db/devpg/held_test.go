package devpg

import (
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
	s := start(t, Options{Dir: dir(t), Durable: true})
	release := holdMemory(t, s)
	defer release()
	if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := waitFor(t.Context(), func() (bool, error) { return !s.Alive(), nil }); err != nil {
		t.Fatal(err)
	}
	revived := make(chan error, 1)
	go func() { revived <- s.Revive(t.Context()) }()
	err := waitFor(t.Context(), func() (bool, error) {
		select {
		case err := <-revived:
			t.Fatalf("revived over memory that was in use: %v", err)
		default:
		}
		return strings.Contains(s.logTail(), "pre-existing shared memory block"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	release()
	if err := <-revived; err != nil {
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

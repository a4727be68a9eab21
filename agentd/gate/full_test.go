package gate_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// Tests of a full disk run again as a process of their own, which limits the size of its files.
const inLimit = "GATE_TEST_LIMIT"

// TestDo_fullDisk: when a receipt cannot be written nothing starts; with room again everything goes on by itself.
func TestDo_fullDisk(t *testing.T) { alone(t, fullDisk) }

// alone runs the test in a process of its own.
func alone(t *testing.T, test func(*testing.T)) {
	t.Helper()
	if os.Getenv(inLimit) != "" {
		test(t)
		return
	}
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inLimit+"=1")
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS")) {
		t.Fatalf("%v\n%s", err, out)
	}
}

func fullDisk(t *testing.T) {
	b := open(t)
	waiting := b.call("act", "red", "")
	f, a := b.ask(waiting)
	restore := limit(t, size(t, b)) // not a byte more than now
	c := b.call("act", "green", "")
	for range 5 {
		if out, err := b.Gate.Do(t.Context(), c, nil); !errors.Is(err, store.ErrFull) {
			t.Fatalf("a full disk answers %+v, %v", out, err)
		}
	}
	if err := b.Decide(gatetest.Answer(a, wire.AllowOnce)); !errors.Is(err, store.ErrFull) {
		t.Fatalf("a decision on a full disk answers %v", err)
	}
	b.wantRan(c.ID, 0)
	b.wantRan(waiting.ID, 0)
	restore()
	b.wantState(b.do(c), wire.ToolDone)
	b.decide(gatetest.Answer(a, wire.AllowOnce))
	b.wantState(f.end(t), wire.ToolDone)
	b.wantRan(c.ID, 1)
	b.wantRan(waiting.ID, 1)
	if err := b.Log.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// size is that of the larger of the two files that SQLite appends to.
func size(t *testing.T, b *bench) int64 {
	t.Helper()
	var most int64
	for _, name := range []string{store.File, store.File + "-wal"} {
		info, err := os.Stat(filepath.Join(b.dir, "state", name))
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, info.Size())
	}
	return most
}

// limit lets no file of this process grow beyond n bytes, until the function it answers is called.
func limit(t *testing.T, n int64) func() {
	t.Helper()
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(n), Max: was.Max}); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
			t.Fatal(err)
		}
	}
}

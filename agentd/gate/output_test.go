package gate_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/gate"
)

func (b *bench) results() string { return filepath.Join(b.dir, "state", "results") }

// onDisk is how many files lie in the folder of long results, and how large they are together.
func (b *bench) onDisk() (n int, size int64) {
	b.t.Helper()
	list, err := os.ReadDir(b.results())
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range list {
		info, err := e.Info()
		if err != nil {
			b.t.Fatal(err)
		}
		size += info.Size()
	}
	return len(list), size
}

// lay puts a result of a former call there. It takes no room, for it is all holes.
func (b *bench) lay(name string, size int64, age time.Duration) {
	b.t.Helper()
	if err := os.MkdirAll(b.results(), 0o700); err != nil {
		b.t.Fatal(err)
	}
	path, at := filepath.Join(b.results(), name), b.clock.now().Add(-age)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) has(name string) bool {
	_, err := os.Stat(filepath.Join(b.results(), name))
	return err == nil
}

// printed makes a call with a long result, in a run of its own or that of another call.
func (b *bench) printed(of *gate.Call) (gate.Call, string) {
	b.t.Helper()
	c := b.call("act", "green", "big")
	if of != nil {
		c.RunID, c.RootRunID = id(b.t), of.RootRunID // a run that it delegated
	}
	return c, b.do(c).Text
}

// TestKeep_run: whatever a run prints, what it leaves on the disk has an end; each result says what became of it, and
// other runs are not the worse for it.
func TestKeep_run(t *testing.T) {
	t.Parallel()
	b := open(t)
	first, text := b.printed(nil)
	for range 4 { // calls of runs that it delegated, whose outputs are as long
		c := b.call("act", "green", "")
		c.RootRunID = first.RootRunID
		b.do(c)
		b.lay(c.ID+".txt", 10<<20, 0)
	}
	said := map[bool]int{}
	for range 3 {
		_, text = b.printed(&first)
		said[strings.HasSuffix(text, ".txt]")]++
	}
	n, size := b.onDisk()
	if size > 64<<20 || n != 6 || said[true] != 1 || !strings.Contains(text, "the rest is not kept, for this run has kept 67.1 MB already]") {
		t.Errorf("%d files, %d bytes, %v, %q", n, size, said, text[len(text)-100:])
	}
	if other, text := b.printed(nil); !b.has(other.ID+".txt") || !strings.Contains(text, "the whole is kept on the server as "+other.ID) {
		t.Errorf("another run: %q", text[len(text)-100:])
	}
}

// TestKeep_all: the oldest results make room for new ones.
func TestKeep_all(t *testing.T) {
	t.Parallel()
	b := open(t)
	for name, age := range map[string]time.Duration{"c.txt": time.Hour, "a.txt": 3 * time.Hour, "b.txt": 2 * time.Hour} {
		b.lay(name, 100<<20, age)
	}
	c, _ := b.printed(nil)
	if _, size := b.onDisk(); size > 256<<20 || b.has("a.txt") || !b.has("b.txt") || !b.has("c.txt") || !b.has(c.ID+".txt") {
		t.Errorf("%d bytes", size)
	}
}

// TestKeep_old: what is older than 30 days goes with the next result, and at the next start.
func TestKeep_old(t *testing.T) {
	t.Parallel()
	b := open(t)
	const month = 30 * 24 * time.Hour
	b.lay("old.txt", 10, month+time.Hour)
	b.lay("young.txt", 10, month-time.Hour)
	b.printed(nil)
	if b.has("old.txt") || !b.has("young.txt") {
		t.Error("with the next result")
	}
	b.clock.move(2 * time.Hour)
	b.restart()
	if n, _ := b.onDisk(); b.has("young.txt") || n != 1 {
		t.Errorf("at the next start: %d files", n)
	}
}

// TestKeep_call: of a result that is longer than one call may keep, the beginning is kept, and nobody is told otherwise.
func TestKeep_call(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.call("act", "green", "huge")
	text := b.do(c).Text
	if _, size := b.onDisk(); size != 16<<20 || !strings.Contains(text, "; the first 16777216 are kept on the server as "+c.ID+".txt]") {
		t.Errorf("%d bytes, %q", size, text[len(text)-100:])
	}
}

// TestKeep_leavesNoHalf: what the limit cuts a credential in two of is kept without its beginning.
func TestKeep_leavesNoHalf(t *testing.T) {
	t.Parallel()
	b := open(t)
	c := b.call("act", "green", "across")
	b.do(c)
	kept, err := os.ReadFile(filepath.Join(b.results(), c.ID+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	if end := kept[len(kept)-40:]; len(kept) != 16<<20 || bytes.Contains(end, []byte("ghp_")) {
		t.Errorf("%d bytes that end with %q", len(kept), end)
	}
}

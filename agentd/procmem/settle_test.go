package procmem

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSettle gives back pages of the program itself, and the program runs on.
func TestSettle(t *testing.T) {
	before := file(t)
	if err := Settle(); err != nil {
		t.Fatal(err)
	}
	if after := file(t); after >= before {
		t.Errorf("%d kB of the program were in memory, now %d", before, after)
	}
}

// TestDrop_written: pages that were written before nobody might write to them any more stay as they are, as those do which
// the linker fills when a program starts; their file says something else.
func TestDrop_written(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, bytes.Repeat([]byte("file"), os.Getpagesize()), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		fill    func(mem []byte)
		written bool
	}{
		"read alone": {func(mem []byte) { _ = bytes.Count(mem, []byte("x")) }, false},
		"written":    {func(mem []byte) { copy(mem[os.Getpagesize():], "link") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			mem := mapped(t, path)
			c.fill(mem)
			want := bytes.Clone(mem)
			if err := unix.Mprotect(mem, unix.PROT_READ); err != nil {
				t.Fatal(err)
			}
			own, err := mappings(path)
			if err != nil || len(own) != 1 || own[0].written != c.written {
				t.Fatalf("mappings %+v, %v", own, err)
			}
			if err := own[0].drop(); err != nil || !bytes.Equal(mem, want) {
				t.Errorf("what was written is gone: %v", err)
			}
		})
	}
}

// mapped is a file in memory, apart from the file.
func mapped(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // the mapping stays
	mem, err := unix.Mmap(int(f.Fd()), 0, 4*os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(mem); err != nil {
			t.Error(err)
		}
	})
	return mem
}

// file is how much of files is mapped and in memory, in kB.
func file(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(b), "RssFile:")
	fields := strings.Fields(rest)
	if !ok || len(fields) == 0 {
		t.Fatal("the kernel does not tell")
	}
	n, err := strconv.Atoi(fields[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

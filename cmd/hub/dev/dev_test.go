package dev

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

func TestAcquire_secondSaysWhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := Acquire(dir, "http://localhost:8080")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Acquire(dir, "http://localhost:9090")
	if err == nil || !strings.Contains(err.Error(), "http://localhost:8080") {
		t.Fatalf("second: %v, want the address of the first", err)
	}
	first.Release()
	again, err := Acquire(dir, "http://localhost:9090")
	if err != nil {
		t.Fatalf("after release: %v", err)
	}
	again.Release()
}

func TestDemo_roundTripForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := ReadDemo(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("before the first run: %v", err)
	}
	want := Demo{HubURL: "http://localhost:8080", Customer: Customer{Email: "owner@example.com"}, ServerID: "s"}
	if err := want.Write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := ReadDemo(dir)
	if err != nil || got != want {
		t.Fatalf("got %+v, %v", got, err)
	}
	if st, err := os.Stat(filepath.Join(dir, "demo.json")); err != nil || st.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v", st.Mode(), err)
	}
}

func TestReset(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		moved  bool
	}{"yes": {"yes\n", true}, "no": {"no\n", false}, "nothing": {"", false}, "y is not enough": {"y\n", false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "var")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := Reset(strings.NewReader(c.answer), &out, dir, noon); err != nil {
				t.Fatal(err)
			}
			_, here := os.Stat(dir)
			_, aside := os.Stat(dir + "-20261103-120000")
			if (aside == nil) != c.moved || (here == nil) == c.moved {
				t.Fatalf("moved %v, want %v: %s", aside == nil, c.moved, out.String())
			}
		})
	}
}

func TestPlace_besideTheCheckout(t *testing.T) {
	t.Parallel()
	open, err := os.MkdirTemp("", "place-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(open) })
	if err := os.Chmod(open, 0o755); err != nil {
		t.Fatal(err)
	}
	dir, moved, err := Place(filepath.Join(open, "var"))
	if err != nil || moved || dir != filepath.Join(open, "var") {
		t.Fatalf("reachable: %q moved %v, %v", dir, moved, err)
	}
}

func TestPlace_belowAClosedHome(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root becomes another user, so only root has folders that user cannot reach")
	}
	wanted := filepath.Join(t.TempDir(), "home", "var") // t.TempDir is closed to others
	if err := os.Mkdir(filepath.Dir(wanted), 0o700); err != nil {
		t.Fatal(err)
	}
	dir, moved, err := Place(wanted)
	if err != nil || !moved || !strings.HasPrefix(dir, "/var/lib/gatehouse/") {
		t.Fatalf("closed: %q moved %v, %v", dir, moved, err)
	}
	t.Cleanup(func() { _ = os.Remove(dir) })
	if again, _, err := Place(wanted); err != nil || again != dir {
		t.Fatalf("second time: %q, %v; want %q", again, err, dir)
	}
}

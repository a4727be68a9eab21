package version_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/tools/version"
	"gatehouse/agentd/wire"
)

type world struct {
	tooltest.Dir
	*version.Store
	now  time.Time
	free int64
}

func open(t *testing.T) *world {
	t.Helper()
	w := &world{Dir: tooltest.NewDir(t), now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), free: 1 << 40}
	w.Store = version.New(w.Root, func() time.Time { return w.now }, func() int64 { return w.free }, nil)
	w.Write(t, map[string]string{"a/one.txt": "1", "a/two.txt": "22"})
	return w
}

func (w *world) remove(t *testing.T, id string) {
	t.Helper()
	w.keep(t, version.Kept{ID: id, Did: "deleted", Path: "a"}, "a/one.txt", "a/two.txt", "a")
	must(t, os.RemoveAll(filepath.Join(w.Data, "a")))
}

func (w *world) keep(t *testing.T, k version.Kept, rels ...string) {
	t.Helper()
	_, err := w.Keep(t.Context(), k, rels)
	must(t, err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestPutBack: what was deleted comes back once, with the modes it had, where nothing else stands by now.
func TestPutBack(t *testing.T) {
	t.Parallel()
	w := open(t)
	must(t, os.Chmod(filepath.Join(w.Data, "a/two.txt"), 0o600))
	w.remove(t, "c1")
	w.Write(t, map[string]string{"a/two.txt": "another"})
	if _, err := w.PutBack(t.Context(), "c1"); err == nil || w.Has("a/one.txt") || w.Read(t, "a/two.txt") != "another" {
		t.Fatalf("over another file: %v", err)
	}
	must(t, os.RemoveAll(filepath.Join(w.Data, "a")))
	_, err := w.PutBack(t.Context(), "c1")
	must(t, err)
	info, err := os.Stat(filepath.Join(w.Data, "a/two.txt"))
	must(t, err)
	if w.Read(t, "a/one.txt") != "1" || w.Read(t, "a/two.txt") != "22" || info.Mode().Perm() != 0o600 {
		t.Errorf("it is not as it was: %s", info.Mode())
	}
	if _, err := w.PutBack(t.Context(), "c1"); !errors.Is(err, version.ErrGone) {
		t.Errorf("twice: %v", err)
	}
}

// TestPutBack_damaged: what was spoiled on the disk is not put back as what it was.
func TestPutBack_damaged(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.remove(t, "c1")
	must(t, os.WriteFile(filepath.Join(w.State, "versions/c1/0"), []byte("x"), 0o600))
	if _, err := w.PutBack(t.Context(), "c1"); err == nil || !strings.Contains(err.Error(), "damaged") || w.Has("a/one.txt") {
		t.Errorf("%v", err)
	}
}

// TestKeep_limits: nothing is kept for ever, nor where it would take too much of the disk; the oldest goes first.
func TestKeep_limits(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.free = 11
	_, err := w.Keep(t.Context(), version.Kept{ID: "c0", Did: "deleted", Path: "a"}, []string{"a/one.txt", "a/two.txt"})
	if !errors.Is(err, version.ErrNotKept) {
		t.Errorf("3 of 11 bytes: %v", err)
	}
	w.free = 1 << 40
	w.remove(t, "c1")
	w.now = w.now.Add(wire.KeptFor - time.Hour)
	w.Write(t, map[string]string{"a/one.txt": "1"})
	w.remove(t, "c2")
	if all, err := w.List(); err != nil || len(all) != 2 || all[0].ID != "c2" {
		t.Fatalf("%+v, %v", all, err)
	}
	w.now = w.now.Add(2 * time.Hour)
	must(t, w.Tidy())
	all, err := w.List()
	left, _ := os.ReadDir(filepath.Join(w.State, "versions"))
	if err != nil || len(all) != 1 || len(left) != 1 || all[0].ID != "c2" {
		t.Errorf("%+v, %v; %d folders", all, err, len(left))
	}
}

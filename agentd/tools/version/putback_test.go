package version_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/tools/version"
)

// temps are the files that hold what is being written.
func (w *world) temps(t *testing.T) (all []string) {
	t.Helper()
	must(t, filepath.WalkDir(w.Data, func(p string, _ os.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(p), ".gatehouse-") {
			all = append(all, p)
		}
		return err
	}))
	return all
}

// TestPutBack_goesOn: what was put back before it was cut does not stand in the way of the rest.
func TestPutBack_goesOn(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.remove(t, "c1")
	w.Write(t, map[string]string{"a/one.txt": "1"})
	_, err := w.PutBack(t.Context(), "c1")
	must(t, err)
	if w.Read(t, "a/one.txt") != "1" || w.Read(t, "a/two.txt") != "22" || len(w.temps(t)) != 0 {
		t.Error("it is not as it was")
	}
}

// TestPutBack_cut: one that cannot be finished changes nothing, and can be done again.
func TestPutBack_cut(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.remove(t, "c1")
	cut, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.PutBack(cut, "c1"); !errors.Is(err, context.Canceled) || w.Has("a") {
		t.Fatalf("cut: %v", err)
	}
	kept := filepath.Join(w.State, "versions/c1/0")
	must(t, os.Rename(kept, kept+".away"))
	if _, err := w.PutBack(t.Context(), "c1"); err == nil || w.Has("a") {
		t.Fatalf("the last one is missing: %v; %q", err, w.temps(t))
	}
	must(t, os.Rename(kept+".away", kept))
	_, err := w.PutBack(t.Context(), "c1")
	must(t, err)
	if w.Read(t, "a/one.txt") != "1" || w.Read(t, "a/two.txt") != "22" {
		t.Error("it is not as it was")
	}
}

// TestPutBack_leftovers: what a crash left half written neither stands in the way nor stays.
func TestPutBack_leftovers(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.remove(t, "c1")
	w.remove(t, "c2") // of nothing
	w.Write(t, map[string]string{"a/.gatehouse-c1-0": "half", "a/.gatehouse-c1": "half"})
	_, err := w.PutBack(t.Context(), "c1")
	must(t, err)
	if w.Read(t, "a/one.txt") != "1" {
		t.Error("it is not as it was")
	}
	w.keep(t, version.Kept{ID: "c3", Did: "deleted", Path: "a/two.txt"}, "a/two.txt")
	w.Write(t, map[string]string{"a/two.txt": "another", "a/.gatehouse-c3-0": "half"})
	if _, err := w.PutBack(t.Context(), "c3"); err == nil { // as if it had begun
		t.Fatal("put back over another")
	}
	must(t, w.Recover())
	if w.Has("a/.gatehouse-c3-0") {
		t.Errorf("left behind: %q", w.temps(t))
	}
}

// TestPutBack_elsewhere: a folder that has become a link to where programs start does not get what is put back.
func TestPutBack_elsewhere(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Write(t, map[string]string{".git/hooks/x": "", "there/x": "", "b/pre-commit": "evil"})
	w.remove(t, "c1")
	w.keep(t, version.Kept{ID: "c2", Did: "deleted", Path: "b/pre-commit"}, "b/pre-commit")
	must(t, os.RemoveAll(filepath.Join(w.Data, "b")))
	must(t, os.Symlink(".git/hooks", filepath.Join(w.Data, "b")))
	if _, err := w.PutBack(t.Context(), "c2"); err == nil || w.Has(".git/hooks/pre-commit") {
		t.Errorf("written to where programs start: %v", err)
	}
	must(t, os.Symlink("there", filepath.Join(w.Data, "a")))
	if _, err := w.PutBack(t.Context(), "c1"); err == nil { // a folder was deleted, a link stands there
		t.Error("another took its name")
	}
}

// TestKeep_lost: what cannot be opened is left out and counted; the rest is kept.
func TestKeep_lost(t *testing.T) {
	t.Parallel()
	w := open(t)
	at := func(name string) string { return filepath.Join(w.Data, name) }
	must(t, os.Link(at("a/one.txt"), filepath.Join(w.Path, "elsewhere")))
	must(t, os.Symlink("two.txt", at("a/link")))
	rels := []string{"a/link", "a/one.txt", "a/two.txt", "a"}
	lost, err := w.Keep(t.Context(), version.Kept{ID: "c1", Did: "deleted", Path: "a"}, rels)
	if err != nil || lost != 2 {
		t.Fatalf("%d lost, %v", lost, err)
	}
	must(t, os.RemoveAll(at("a")))
	k, err := w.PutBack(t.Context(), "c1")
	if err != nil || k.Lost() != 2 || w.Has("a/one.txt") || w.Read(t, "a/two.txt") != "22" {
		t.Errorf("%+v, %v", k, err)
	}
	w.Write(t, map[string]string{"b.txt": "b"})
	must(t, os.Link(at("b.txt"), filepath.Join(w.Path, "b")))
	_, err = w.Keep(t.Context(), version.Kept{ID: "c2", Did: "deleted", Path: "b.txt"}, []string{"b.txt"})
	if !errors.Is(err, version.ErrNotKept) {
		t.Errorf("nothing of it can be kept: %v", err)
	}
}

// TestKeep_spares: keeping what is there now does not let go of what is about to be put back in its place.
func TestKeep_spares(t *testing.T) {
	t.Parallel()
	for restores, gone := range map[string]bool{"old": false, "": true} {
		w := open(t)
		w.Write(t, map[string]string{"big": "1234567890"})
		w.keep(t, version.Kept{ID: "old", Did: "changed", Path: "big"}, "big")
		meta := filepath.Join(w.State, "versions/old/meta.json")
		b, err := os.ReadFile(meta)
		must(t, err)
		must(t, os.WriteFile(meta, []byte(strings.Replace(string(b), `"size":10`, `"size":1073741824`, 1)), 0o600)) // all there is room for
		w.Write(t, map[string]string{"big": "now"})
		w.keep(t, version.Kept{ID: "new", Did: "changed", Path: "big", Restores: restores}, "big")
		if _, err := w.PutBack(t.Context(), "old"); errors.Is(err, version.ErrGone) != gone || !gone && w.Read(t, "big") != "1234567890" {
			t.Errorf("restores %q: %v", restores, err)
		}
	}
}

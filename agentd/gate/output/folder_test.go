package output_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gatehouse/agentd/gate/output"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// sparse puts a file of a size that takes no room on the disk.
func sparse(t *testing.T, dir, name string, size int64, age time.Duration) {
	t.Helper()
	path, at := filepath.Join(dir, name), noon.Add(-age)
	err := os.WriteFile(path, nil, 0o600)
	if err := errors.Join(err, os.Truncate(path, size), os.Chtimes(path, at, at)); err != nil {
		t.Fatal(err)
	}
}

func has(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// TestFolder_Put: a run has its share, and only its own files count against it.
func TestFolder_Put(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := output.NewFolder(dir)
	sparse(t, dir, "a.txt", output.MaxOfRun, time.Hour)
	if err := f.Put("b.txt", []byte("text"), map[string]bool{"a.txt": true, "b.txt": true}, noon); !errors.Is(err, output.ErrRunFull) {
		t.Errorf("beyond the share of the run: %v", err)
	}
	if err := f.Put("b.txt", []byte("text"), map[string]bool{"b.txt": true}, noon); err != nil {
		t.Errorf("of another run: %v", err)
	}
	if err := f.Put("a.txt", []byte("text"), map[string]bool{"a.txt": true}, noon); err != nil {
		t.Errorf("in the place of its own former file: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "b.txt")); string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestFolder_Purge: files go that are too old, and the oldest of those that take too much room together.
func TestFolder_Purge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := output.NewFolder(dir)
	if err := output.NewFolder(filepath.Join(dir, "missing")).Purge(noon); err != nil {
		t.Errorf("without a folder: %v", err)
	}
	sparse(t, dir, "old.txt", 1, 31*24*time.Hour)
	sparse(t, dir, "c.txt", 100<<20, 3*time.Hour)
	sparse(t, dir, "b.txt", 100<<20, 2*time.Hour)
	sparse(t, dir, "a.txt", 100<<20, time.Hour)
	if err := f.Purge(noon); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"old.txt": false, "c.txt": false, "b.txt": true, "a.txt": true} {
		if has(dir, name) != want {
			t.Errorf("%s is there: %v", name, !want)
		}
	}
}

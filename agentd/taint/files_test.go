package taint_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestTidy: the mark of a file that is gone is dropped once the file can no longer be put back, but not while the folder
// that it was in may not be mounted.
func TestTidy(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	if err := os.Mkdir(filepath.Join(f.root, "unmounted"), 0o750); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	long := now.AddDate(0, -2, 0)
	for name, at := range map[string]time.Time{
		"own.md": long, "gone.md": long, "lately.md": now, "unmounted/kept.md": long, "unmounted/deep/kept.md": long,
	} {
		f.mark(t, name, at)
	}
	if err := f.Tidy(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	want := []string{"lately.md", "own.md", "unmounted/deep/kept.md", "unmounted/kept.md"}
	if got := f.marked(t); !slices.Equal(got, want) {
		t.Errorf("marked are %q, want %q", got, want)
	}
}

// TestMarks_unreadable: when the marks cannot be read, whatever a call reads taints.
func TestMarks_unreadable(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.write(t, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), "DROP TABLE derived_files")
		return err
	})
	if by := f.foreseen(t, "cat own.md"); len(by) != 1 || by[0].Source != "a file of unknown origin" {
		t.Errorf("%+v", by)
	}
}

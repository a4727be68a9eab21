package taint_test

import (
	"database/sql"
	"slices"
	"testing"
	"time"

	"gatehouse/agentd/taint"
)

// wantMarked checks which files are marked.
func (f *folder) wantMarked(t *testing.T, when string, want ...string) {
	t.Helper()
	if got := f.marked(t); !slices.Equal(got, want) {
		t.Errorf("%s, marked are %q, want %q", when, got, want)
	}
}

// TestMoved: marks go along with a folder, also to a name under which the same marks are still on record.
func TestMoved(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	now := time.Now()
	for _, name := range []string{"in/a.md", "in/b/c.md", "out/a.md", "out/stale.md", "inside.md"} {
		f.mark(t, name, now)
	}
	f.write(t, func(tx *sql.Tx) error { return taint.Moving(f.db, tx, "in", "out") })
	f.wantMarked(t, "while it is moved", "in/a.md", "in/b/c.md", "inside.md", "out/a.md", "out/b/c.md")
	f.write(t, func(tx *sql.Tx) error { return taint.Moved(f.db, tx, "in") })
	f.wantMarked(t, "after it", "inside.md", "out/a.md", "out/b/c.md")
}

// TestUploaded: an upload is marked before it is in its place; one that does not get there leaves the marks as they were.
func TestUploaded(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	now := time.Now()
	f.mark(t, "old.md", now)
	begin := func(id, name string, own bool) {
		f.write(t, func(tx *sql.Tx) error { return taint.Uploading(f.db, tx, id, name, own, now) })
	}
	begin("1", "new.md", false)
	begin("2", "old.md", true)
	f.wantMarked(t, "before both are there", "new.md", "old.md")
	f.write(t, func(tx *sql.Tx) error { return taint.NotUploaded(f.db, tx, "1", "new.md", now) })
	f.wantMarked(t, "when the new one failed", "old.md")
	f.write(t, func(tx *sql.Tx) error { return taint.NotUploaded(f.db, tx, "2", "old.md", now) })
	f.wantMarked(t, "when both failed", "old.md")
	f.write(t, func(tx *sql.Tx) error { return taint.Uploaded(f.db, tx, "old.md", true, now) })
	f.wantMarked(t, "when their own replaced it")
}

// TestKeep: the marks of deleted files outlive those of files that are gone, and come back with each file.
func TestKeep(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	now := time.Now()
	names := []string{"notes/a.md", "notes/b.md"}
	for _, name := range names {
		f.mark(t, name, now.AddDate(0, -2, 0))
	}
	if err := taint.Keep(t.Context(), f.db, "c1", append(names, "notes/own.md", "notes"), now); err != nil {
		t.Fatal(err)
	}
	if err := f.Tidy(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	f.wantMarked(t, "after it was tidied")
	f.write(t, func(tx *sql.Tx) error {
		return taint.Restored(f.db, tx, "a1", "c1", []string{"notes", "notes/a.md", "notes/b.md", "notes/own.md"}, now)
	})
	f.wantMarked(t, "after it was put back", names...)
}

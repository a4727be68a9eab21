package taint_test

import (
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/taint"
)

// folder is a data folder with its marks. own.md and notes/own.md are the business's own files.
type folder struct {
	*taint.Files
	db   *store.DB
	root string
}

func newFolder(t *testing.T) *folder {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	storetest.Seed(t, filepath.Join(dir, "state"))
	db, err := store.Open(filepath.Join(dir, "state"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	f := &folder{db: db, root: filepath.Join(dir, "data")}
	f.Files = taint.NewFiles(db, f.root, slog.New(slog.DiscardHandler))
	f.file(t, "own.md")
	f.file(t, "notes/own.md")
	return f
}

// file writes a file.
func (f *folder) file(t *testing.T, name string) {
	t.Helper()
	at := filepath.Join(f.root, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o750), os.WriteFile(at, []byte("ours\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// mark marks a file as holding content from outside.
func (f *folder) mark(t *testing.T, name string, at time.Time) {
	t.Helper()
	f.write(t, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(),
			"INSERT INTO derived_files (path, source, ref, at) VALUES (?, 'a letter', 'l', ?)", name, at.UnixMicro())
		return err
	})
}

func (f *folder) write(t *testing.T, change func(*sql.Tx) error) {
	t.Helper()
	if err := f.db.Write(t.Context(), change); err != nil {
		t.Fatal(err)
	}
}

// marked are the marked files.
func (f *folder) marked(t *testing.T) (all []string) {
	t.Helper()
	rows, err := f.db.Read().QueryContext(t.Context(), "SELECT DISTINCT path FROM derived_files ORDER BY path")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var path string
		if err := rows.Scan(&path); err != nil {
			t.Fatal(err)
		}
		all = append(all, path)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

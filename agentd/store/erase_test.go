package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gatehouse/agentd/store"
)

// TestErase_again: a reader that stands in the way for long makes Erase fail, and what was deleted goes as soon as it leaves.
func TestErase_again(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	db := open(t, dir)
	write(t, db, "CREATE TABLE t (b TEXT)")
	write(t, db, "INSERT INTO t VALUES ('zinnober'), ('kept')")
	rows, err := db.Read().QueryContext(t.Context(), "SELECT b FROM t")
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	write(t, db, "DELETE FROM t WHERE b = 'zinnober'")
	if err := db.Erase(t.Context()); err == nil {
		t.Fatal("a reader does not stand in the way: the test shows nothing")
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); holds(t, dir, "zinnober"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("what was deleted is still there")
		}
	}
}

// holds says whether a word stands in the files of a store.
func holds(t *testing.T, dir, word string) bool {
	t.Helper()
	for _, name := range []string{store.File, store.File + "-wal"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte(word)) {
			return true
		}
	}
	return false
}

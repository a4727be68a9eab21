package store_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gatehouse/agentd/store"
)

// TestWrite_logIsCopied: what is written comes into the database file while the store is open, although no Write does
// it itself, and the log stays short however much is written without a pause.
func TestWrite_logIsCopied(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	db := open(t, dir)
	if err := db.Write(t.Context(), statement("CREATE TABLE t (n INTEGER PRIMARY KEY, b BLOB)")); err != nil {
		t.Fatal(err)
	}
	const writes, size = 1500, 32 << 10
	longest := int64(0)
	for range writes {
		err := db.Write(t.Context(), func(tx *sql.Tx) error {
			_, err := tx.Exec("INSERT INTO t (b) VALUES (?)", bytes.Repeat([]byte("x"), size))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		longest = max(longest, length(t, filepath.Join(dir, store.File+"-wal")))
	}
	if got := length(t, filepath.Join(dir, store.File)); got < writes*size/2 {
		t.Errorf("%d bytes of %d are in the file", got, writes*size)
	}
	if longest > 40<<20 {
		t.Errorf("the log became %d bytes long", longest)
	}
}

// TestWrite_logBegunAnewIsShort: a log that was long once is begun anew in the same file. It counts as short from then on:
// else every copying that followed would be left to the writer, and every Write behind it would wait.
func TestWrite_logBegunAnewIsShort(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	db := open(t, dir)
	const size = 2 * store.MaxLog * 4096
	write(t, db, "CREATE TABLE t (b BLOB)")
	write(t, db, fmt.Sprintf("INSERT INTO t VALUES (zeroblob(%d))", size))
	if pages, err := db.Copy(); err != nil || pages <= store.MaxLog {
		t.Fatalf("the log holds %d pages: %v", pages, err)
	}
	write(t, db, "INSERT INTO t VALUES (x'00')")
	if got := length(t, filepath.Join(dir, store.File+"-wal")); got < size {
		t.Fatalf("the file of the log shrank to %d bytes", got)
	}
	if pages, err := db.Copy(); err != nil || pages > 10 {
		t.Errorf("the log holds %d pages after one small Write: %v", pages, err)
	}
}

func write(t *testing.T, db *store.DB, query string) {
	t.Helper()
	if err := db.Write(t.Context(), statement(query)); err != nil {
		t.Fatal(err)
	}
}

func length(t *testing.T, file string) int64 {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

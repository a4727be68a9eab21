package storetest

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"gatehouse/agentd/store"
)

// test is testing.TB, or the part of it that property tests have.
type test interface {
	Helper()
	Fatal(args ...any)
}

// Seed makes a state directory with a database in which nothing has happened, unless it is there already. store.Open makes
// the same from nothing, and takes several times as long.
func Seed(t test, dir string) {
	t.Helper()
	path := filepath.Join(dir, store.File)
	if _, err := os.Lstat(path); err == nil {
		return
	}
	b, err := empty()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// empty is the file of a database that was opened once.
var empty = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "storetest-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	db, err := store.Open(dir, time.Now)
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, store.File)) //nolint:gosec // it was made above
})

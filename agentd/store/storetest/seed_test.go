package storetest_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"gatehouse/agentd/store"
	"gatehouse/agentd/store/storetest"
)

// TestSeed: what is given is a database as store.Open leaves it, each one for itself, and one that is there stays.
func TestSeed(t *testing.T) {
	t.Parallel()
	schema := func(dir string) (all string) {
		db, err := store.Open(dir, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Read().QueryRowContext(t.Context(), "SELECT group_concat(sql) FROM sqlite_schema").Scan(&all); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		return all
	}
	made, given := filepath.Join(t.TempDir(), "state"), filepath.Join(t.TempDir(), "state")
	storetest.Seed(t, given)
	if a, b := schema(made), schema(given); a != b || a == "" {
		t.Errorf("given is\n%s\nand made is\n%s", b, a)
	}
	path := filepath.Join(given, store.File)
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	storetest.Seed(t, given)
	if b, err := os.ReadFile(path); err != nil || string(b) != "mine" {
		t.Errorf("the database that was there holds %q, %v", b, err)
	}
}

package runtime

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/store"
)

// held is a store whose writes wait until the test runs them.
type held struct {
	*store.DB
	fns chan func(*sql.Tx) error
	out chan error
}

func (s held) Write(_ context.Context, fn func(*sql.Tx) error) error {
	s.fns <- fn
	return <-s.out
}

// twice runs writes in one transaction whose first try is undone.
func (s held) twice(ctx context.Context, between func(), fns ...func(*sql.Tx) error) error {
	return s.DB.Write(ctx, func(tx *sql.Tx) error {
		all := func() error {
			for _, fn := range fns {
				if err := fn(tx); err != nil {
					return err
				}
			}
			return nil
		}
		for _, step := range []func() error{
			func() error { _, err := tx.ExecContext(ctx, "SAVEPOINT first_try"); return err }, all,
			func() error { _, err := tx.ExecContext(ctx, "ROLLBACK TO first_try"); between(); return err }, all,
		} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestTree_runsTwice: changes reach the tables in the order in which they were made, each once, also when the writes that
// took them run a second time and a newer change is there by then.
func TestTree_runsTwice(t *testing.T) {
	t.Parallel()
	s, tr := heldTree(t)
	later := func(n int) {
		tr.later(func(tx txn) error { return tx.exec("tell", "INSERT INTO told (n) VALUES (?)", n) })
	}
	second := sync.OnceFunc(func() { later(2) }) // while the first write runs
	var writes sync.WaitGroup
	begin := func(fn func(txn) error) func(*sql.Tx) error {
		writes.Go(func() {
			if err := tr.write(fn); err != nil {
				t.Error(err)
			}
		})
		return <-s.fns
	}
	later(1)
	one := begin(func(txn) error { second(); return nil })
	two := begin(func(txn) error { return nil })
	err := s.twice(t.Context(), func() { later(3) }, one, two)
	s.out <- err
	s.out <- err
	writes.Wait()
	three := begin(func(txn) error { return nil })
	s.out <- s.DB.Write(t.Context(), three)
	writes.Wait()
	if got := told(t, s.DB); !slices.Equal(got, []int{1, 2, 3}) || tr.onTheWay != 0 {
		t.Errorf("told %v, %d writes on the way", got, tr.onTheWay)
	}
}

func heldTree(t *testing.T) (held, *tree) {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "state"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	err = db.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), "CREATE TABLE told (place INTEGER PRIMARY KEY, n INTEGER)")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s := held{db, make(chan func(*sql.Tx) error), make(chan error)}
	return s, &tree{rt: &Runtime{d: Deps{Store: s}, flush: newFlusher(s)}}
}

func told(t *testing.T, db *store.DB) (all []int) {
	t.Helper()
	rows, err := db.Read().QueryContext(t.Context(), "SELECT n FROM told ORDER BY place")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

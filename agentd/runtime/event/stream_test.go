package event

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

// TestStream_runsTwice: changes reach the tables in the order in which they were made, each once, also when the writes that
// took them run a second time and a newer change is there by then.
func TestStream_runsTwice(t *testing.T) {
	t.Parallel()
	s, stream := heldStream(t)
	later := func(n int) {
		stream.Add(func(tx *sql.Tx) error {
			_, err := s.Exec(tx, "INSERT INTO written (n) VALUES (?)", n)
			return err
		})
	}
	second := sync.OnceFunc(func() { later(2) }) // while the first write runs
	var writes sync.WaitGroup
	begin := func(fn Change) Change {
		writes.Go(func() {
			if err := stream.Write(fn); err != nil {
				t.Error(err)
			}
		})
		return <-s.fns
	}
	later(1)
	one := begin(func(*sql.Tx) error { second(); return nil })
	two := begin(func(*sql.Tx) error { return nil })
	err := s.twice(t.Context(), func() { later(3) }, one, two)
	s.out <- err
	s.out <- err
	writes.Wait()
	three := begin(func(*sql.Tx) error { return nil })
	s.out <- s.DB.Write(t.Context(), three)
	writes.Wait()
	if got := written(t, s.DB); !slices.Equal(got, []int{1, 2, 3}) || stream.writing != 0 {
		t.Errorf("written %v, %d writes on their way", got, stream.writing)
	}
}

func heldStream(t *testing.T) (held, *Stream) {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "state"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	err = db.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(t.Context(), "CREATE TABLE written (place INTEGER PRIMARY KEY, n INTEGER)")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s := held{db, make(chan func(*sql.Tx) error), make(chan error)}
	return s, NewLog(s, nil, nil).Stream("run", "session")
}

func written(t *testing.T, db *store.DB) (all []int) {
	t.Helper()
	rows, err := db.Read().QueryContext(t.Context(), "SELECT n FROM written ORDER BY place")
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

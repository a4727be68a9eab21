package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/store"
)

func open(t testing.TB, dir string) *store.DB {
	t.Helper()
	db, err := store.Open(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // some tests close it themselves
	return db
}

func scratch(t testing.TB) (*store.DB, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	db := open(t, dir)
	if err := db.Write(t.Context(), statement("CREATE TABLE t (n INTEGER PRIMARY KEY)")); err != nil {
		t.Fatal(err)
	}
	return db, dir
}

func statement(q string, args ...any) func(*sql.Tx) error {
	return func(tx *sql.Tx) error {
		_, err := tx.Exec(q, args...)
		return err
	}
}

func count(t testing.TB, db *store.DB) (n int) {
	t.Helper()
	if err := db.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM t").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestAttempt: of what failed nothing is left, and what was done before and after it is.
func TestAttempt(t *testing.T) {
	t.Parallel()
	db, _ := scratch(t)
	boom, told := errors.New("boom"), ""
	tell := func(tx *sql.Tx, what string) error {
		db.OnCommit(tx, func() { told += what })
		return statement("INSERT INTO t VALUES (?)", what[0])(tx)
	}
	err := db.Write(t.Context(), func(tx *sql.Tx) error {
		told = "" // it may run a second time
		err := tell(tx, "a")
		failed, broken := db.Attempt(tx, func() error { return errors.Join(tell(tx, "b"), boom) })
		if !errors.Is(failed, boom) {
			t.Errorf("failed with %v", failed)
		}
		fine, broken2 := db.Attempt(tx, func() error { return tell(tx, "c") })
		return errors.Join(err, broken, fine, broken2, tell(tx, "d"))
	})
	if err != nil || told != "acd" || count(t, db) != 3 {
		t.Errorf("%v, told %q, %d rows", err, told, count(t, db))
	}
}

func TestWrite_oneFaultUndoesItselfAlone(t *testing.T) {
	t.Parallel()
	db, _ := scratch(t)
	boom := errors.New("boom")
	var all sync.WaitGroup
	for n := range 300 {
		all.Go(func() {
			told := false
			err := db.Write(t.Context(), func(tx *sql.Tx) error {
				db.OnCommit(tx, func() { told = true })
				if err := statement("INSERT INTO t VALUES (?)", n)(tx); err != nil {
					return err
				}
				switch n % 3 {
				case 1:
					return boom
				case 2:
					panic("on purpose")
				}
				return nil
			})
			if kept := n%3 == 0; kept != (err == nil) || told != kept || (n%3 == 1) != errors.Is(err, boom) || (n%3 == 2) != errors.Is(err, store.ErrPanicked) {
				t.Errorf("write %d: %v, told %v", n, err, told)
			}
		})
	}
	all.Wait()
	if got := count(t, db); got != 100 {
		t.Errorf("%d rows, want 100", got)
	}
}

func TestWrite_givesUp(t *testing.T) {
	t.Parallel()
	db, _ := scratch(t)
	held, release := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	go func() {
		first <- db.Write(context.Background(), func(tx *sql.Tx) error {
			close(held)
			<-release
			return statement("INSERT INTO t VALUES (1)")(tx)
		})
	}()
	<-held
	ctx, cancel := context.WithCancel(t.Context())
	second := make(chan error, 1)
	go func() { second <- db.Write(ctx, statement("INSERT INTO t VALUES (2)")) }()
	cancel()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("a write that gave up answers %v", err)
	}
	close(release)
	if err := <-first; err != nil {
		t.Error(err)
	}
	if got := count(t, db); got != 1 {
		t.Errorf("%d rows: a write that gave up was done", got)
	}
}

func TestClose_keepsWhatWasPromised(t *testing.T) {
	t.Parallel()
	db, dir := scratch(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	kept := map[int]bool{}
	for n := range 200 {
		all.Go(func() {
			err := db.Write(context.Background(), statement("INSERT INTO t VALUES (?)", n))
			if err != nil && !errors.Is(err, store.ErrClosed) {
				t.Errorf("write %d: %v", n, err)
			}
			mu.Lock()
			defer mu.Unlock()
			kept[n] = err == nil
		})
		if n == 100 {
			all.Go(func() { _ = db.Close() })
		}
	}
	all.Wait()
	again := open(t, dir)
	for n, want := range kept {
		var got int
		if err := again.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM t WHERE n = ?", n).Scan(&got); err != nil || (got == 1) != want {
			t.Errorf("row %d: %d, promised %v (%v)", n, got, want, err)
		}
	}
}

func TestRead_cannotWrite(t *testing.T) {
	t.Parallel()
	db, _ := scratch(t)
	var id int
	if err := db.Read().QueryRowContext(t.Context(), "INSERT INTO t VALUES (1) RETURNING rowid").Scan(&id); err == nil {
		t.Error("a reader wrote")
	}
}

func TestOpen_modes(t *testing.T) {
	t.Parallel()
	db, dir := scratch(t)
	if err := db.Write(t.Context(), statement("INSERT INTO t VALUES (1)")); err != nil {
		t.Fatal(err)
	}
	if err := store.CheckModes(dir); err != nil {
		t.Fatalf("a fresh state directory: %v", err) // log and index files included
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{dir: 0o750, filepath.Join(dir, store.File): 0o640} {
		good, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err = store.Open(dir, time.Now)
		if !errors.Is(err, store.ErrModes) || !store.Hard(err) || !strings.Contains(err.Error(), "chmod") {
			t.Errorf("%s with mode %o: %v", path, mode, err)
		}
		if err := os.Chmod(path, good.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
	open(t, dir)
}

func TestOpen_oneAgentd(t *testing.T) {
	t.Parallel()
	db, dir := scratch(t)
	if _, err := store.Open(dir, time.Now); !errors.Is(err, store.ErrInUse) || store.Hard(err) {
		t.Errorf("a second one: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
}

func TestOpen_newerData(t *testing.T) {
	t.Parallel()
	db, dir := scratch(t)
	if err := db.Write(t.Context(), statement("INSERT INTO migrations VALUES ('9999_later.sql', '')")); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before := read(t, filepath.Join(dir, store.File))
	if _, err := store.Open(dir, time.Now); !errors.Is(err, store.ErrNewer) || !store.Hard(err) {
		t.Errorf("newer data: %v", err)
	}
	if string(read(t, filepath.Join(dir, store.File))) != string(before) {
		t.Error("newer data was touched")
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOpen_damaged(t *testing.T) {
	t.Parallel()
	db, dir := scratch(t)
	err := db.Write(t.Context(), statement("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 20000) INSERT INTO t SELECT i FROM n"))
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, store.File)
	good := read(t, path)
	for name, spoil := range map[string]func() error{
		"header":    func() error { return os.WriteFile(path, append([]byte("not a data"), good[10:]...), 0o600) },
		"page":      func() error { return os.WriteFile(path, zeroed(good, len(good)/2, 4096), 0o600) },
		"truncated": func() error { return os.WriteFile(path, good[:len(good)/2], 0o600) },
		"empty":     func() error { return os.WriteFile(path, nil, 0o600) },
		"gone":      func() error { return os.Remove(path) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(dir, time.Now)
		if !errors.Is(err, store.ErrCorrupt) || !store.Hard(err) {
			t.Errorf("%s: %v", name, err)
		}
		if db != nil {
			t.Errorf("%s: opened", name)
		}
	}
	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := count(t, open(t, dir)); got != 20000 {
		t.Errorf("%d rows after the right file came back", got)
	}
}

func zeroed(b []byte, at, n int) []byte {
	out := append([]byte{}, b...)
	clear(out[at : at+n])
	return out
}

// BenchmarkWrite shows what group commit is worth: writers that come together share one fsync.
func BenchmarkWrite(b *testing.B) {
	for _, writers := range []int{1, 50} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			db, _ := scratch(b)
			ctx := context.Background()
			b.SetParallelism(writers)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := db.Write(ctx, statement("INSERT INTO t DEFAULT VALUES")); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// TestWrite_interrupted ends a statement in the middle. SQLite answers that by undoing the whole transaction; the
// others that shared it must not notice.
func TestWrite_interrupted(t *testing.T) {
	t.Parallel()
	db, _ := scratch(t)
	held, release := make(chan struct{}), make(chan struct{})
	results := make(chan error, 3)
	go func() {
		results <- db.Write(context.Background(), func(*sql.Tx) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	faulty := make(chan error, 1)
	var told atomic.Int32
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			err := db.Write(context.Background(), func(tx *sql.Tx) error {
				db.OnCommit(tx, func() { told.Add(1) })
				return statement("INSERT INTO t VALUES (?)", n)(tx)
			})
			if err != nil {
				t.Errorf("write %d: %v", n, err)
			}
		})
		if n == 10 {
			go func() {
				faulty <- db.Write(context.Background(), func(tx *sql.Tx) error {
					time.AfterFunc(20*time.Millisecond, cancel)
					_, err := tx.ExecContext(ctx, "WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i+1 FROM n WHERE i < 1e9) INSERT INTO t SELECT i FROM n")
					return err
				})
			}()
		}
	}
	close(release)
	all.Wait()
	if err := errors.Join(<-results); err != nil {
		t.Error(err)
	}
	if err := <-faulty; err == nil {
		t.Error("the interrupted write succeeded")
	}
	if got := count(t, db); got != 20 || told.Load() != 20 {
		t.Errorf("%d rows, %d told, want 20 of each", got, told.Load())
	}
}

// TestOpenBeside writes beside the one that runs, and both end.
func TestOpenBeside(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	first, err := store.Open(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	beside, err := store.OpenBeside(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for _, db := range []*store.DB{beside, first} {
		if err := db.Write(t.Context(), func(*sql.Tx) error { return nil }); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

package recall

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // registers the driver "sqlite"
)

// version is that of the tables and of how vectors are made. An index of another version is made anew.
const version = 3

// Index is the file. Many may search while one writes.
type Index struct {
	write *sql.DB // one connection
	read  *sql.DB

	changing sync.Mutex            // held by who writes, and by who first reads the shelf
	newest   atomic.Pointer[shelf] // nil until it was read
}

// Text is one thing that was written down.
type Text struct {
	ID    string    // unique in the index
	Group string    // whose it is: searches are bounded by it
	File  string    // where it stands, from the root of all files
	Line  int       // first line, from 1
	Text  string    // as people read it
	Day   time.Time // midnight UTC of the day that it is about; zero: it does not age
	Trust int       // 0 to 100
	Clean bool      // nothing of it came from outside the business
	Kind  string    // what the owner of the index tells texts apart by in lists
	Extra []byte    // what the owner of the index keeps with it
}

const tables = `BEGIN;
CREATE TABLE texts (
	id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, grp TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL, text TEXT NOT NULL,
	day INTEGER NOT NULL, trust INTEGER NOT NULL, clean INTEGER NOT NULL,
	kind TEXT NOT NULL, extra BLOB
);
CREATE INDEX texts_file ON texts (file);
CREATE INDEX texts_newest ON texts (day DESC, file DESC, line DESC, id DESC);
CREATE TABLE files (file TEXT PRIMARY KEY, mark TEXT NOT NULL);
CREATE VIRTUAL TABLE stems USING fts5(stem, content = '', contentless_delete = 1);
CREATE TABLE counts (stem TEXT PRIMARY KEY, docs INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE vectors (block INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE meanings (id INTEGER PRIMARY KEY, hash BLOB NOT NULL, data BLOB NOT NULL);
CREATE TABLE space (id INTEGER PRIMARY KEY CHECK (id = 1), provider TEXT NOT NULL, model TEXT NOT NULL, dims INTEGER NOT NULL);`

// Open opens the index at path, or makes it. One that cannot be read or is of another version is made anew, empty: its texts are in
// the files that it was made of.
func Open(ctx context.Context, path string) (*Index, error) {
	x, err := open(ctx, path)
	if err == nil {
		return x, nil
	}
	if ctx.Err() != nil {
		return nil, err
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + end); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("remove the old index of memory: %w", err)
		}
	}
	return open(ctx, path)
}

var errStale = errors.New("index of another version")

func open(ctx context.Context, path string) (*Index, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) // SQLite's further files take over this mode
	if err != nil {
		return nil, fmt.Errorf("make the index of memory: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("make the index of memory: %w", err)
	}
	// What a crash takes from the index is read from the files again, so no commit waits for the disk.
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() +
		"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=cache_size(-2000)"
	x := &Index{}
	if x.write, err = sql.Open("sqlite", dsn+"&_txlock=immediate"); err != nil {
		return nil, fmt.Errorf("open the index of memory: %w", err)
	}
	if x.read, err = sql.Open("sqlite", dsn); err != nil {
		return nil, errors.Join(fmt.Errorf("open the index of memory: %w", err), x.write.Close())
	}
	x.write.SetMaxOpenConns(1)
	x.read.SetMaxOpenConns(2)
	if err := x.prepare(ctx); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

// prepare makes the tables of a new file, and refuses those of another version.
func (x *Index) prepare(ctx context.Context) error {
	var found int
	if err := x.write.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&found); err != nil {
		return fmt.Errorf("read the index of memory: %w", err)
	}
	switch found {
	case version:
		return nil
	case 0:
		_, err := x.write.ExecContext(ctx, tables+fmt.Sprintf("PRAGMA user_version = %d; COMMIT", version))
		if err != nil {
			return fmt.Errorf("make the tables of memory: %w", err)
		}
		return nil
	}
	return errStale
}

// Close ends the index.
func (x *Index) Close() error { return errors.Join(x.read.Close(), x.write.Close()) }

// Marks are the files that are in the index, each with the mark that it was put in with.
func (x *Index) Marks(ctx context.Context) (map[string]string, error) {
	rows, err := x.read.QueryContext(ctx, `SELECT file, mark FROM files`)
	if err != nil {
		return nil, fmt.Errorf("read marks of memory: %w", err)
	}
	defer rows.Close()
	marks := map[string]string{}
	for rows.Next() {
		var file, mark string
		if err := rows.Scan(&file, &mark); err != nil {
			return nil, fmt.Errorf("read marks of memory: %w", err)
		}
		marks[file] = mark
	}
	return marks, rows.Err()
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // registers the driver "sqlite"
)

// File is the name of the database in the state directory.
const File = "agentd.db"

// made marks a state directory whose database was once created: if the file is missing later, it was lost, and an
// empty one in its place would hide that.
const made = "agentd.db.made"

// DB is the open state of one agentd.
type DB struct {
	write *sql.DB // one connection, used by the writer goroutine alone
	read  *Reader
	now   func() time.Time
	lock  *os.File
	dir   string

	statements statements
	undone     int // parts of transactions that were taken back; only the writer goroutine counts

	queue chan *job
	stop  chan struct{}
	done  chan struct{}
	once  sync.Once

	mu    sync.Mutex
	hooks map[*sql.Tx]*job // the job that runs in this transaction

	copier  *sql.DB // copies the log into the file
	written int     // Writes since the log was copied
	grown   chan struct{}
	uncut   chan struct{} // what was deleted stands in the log still
	behind  atomic.Bool   // the log has become too long
	copied  chan struct{} // nothing is copied anymore
}

// Open checks the state directory, opens or makes the database in it, checks it for damage and brings it up to
// date. Errors for which Hard is true need a person.
func Open(dir string, now func() time.Time) (*DB, error) {
	if err := ensureDir(dir); err != nil {
		return nil, err
	}
	held, err := lock(dir)
	if err != nil {
		return nil, err
	}
	db := newDB(dir, now)
	db.lock = held
	if err := db.open(); err != nil {
		return nil, errors.Join(err, db.release())
	}
	db.start()
	return db, nil
}

// newDB is one that is not connected yet.
func newDB(dir string, now func() time.Time) *DB {
	return &DB{
		now: now, dir: dir, queue: make(chan *job, 256), stop: make(chan struct{}), done: make(chan struct{}), hooks: map[*sql.Tx]*job{},
		statements: newStatements(), grown: make(chan struct{}, 1), uncut: make(chan struct{}, 1), copied: make(chan struct{}),
	}
}

// start sets the writer and the copier of its log going; Close ends both.
func (db *DB) start() {
	go db.serve()
	go db.copies()
}

func (db *DB) open() error {
	path := filepath.Join(db.dir, File)
	if err := db.create(path); err != nil {
		return err
	}
	if err := db.connect(path); err != nil {
		return err
	}
	if err := check(context.Background(), db.write); err != nil {
		return err
	}
	return db.migrate(context.Background())
}

// connect opens every way to the file.
func (db *DB) connect(path string) (err error) {
	if db.write, err = connect(path, false); err != nil {
		return err
	}
	if db.copier, err = connect(path, false); err != nil {
		return err
	}
	db.read, err = connectReader(path)
	return err
}

// create makes the file with its mode before SQLite sees it: the log and index files beside it inherit the mode.
func (db *DB) create(path string) error {
	mark := filepath.Join(db.dir, made)
	_, marked := os.Stat(mark)
	info, err := os.Stat(path)
	if marked == nil && (err != nil || info.Size() == 0) {
		return fmt.Errorf("%w: %s is missing or empty although it was there; restore it from a backup", ErrCorrupt, path)
	}
	if err == nil {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("make database: %w", err)
	}
	return f.Close()
}

// connect opens one pool. The file: form is needed: a plain path has its query stripped.
func connect(path string, reader bool) (*sql.DB, error) {
	pragmas := []string{
		"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "journal_size_limit(67108864)", "cache_size(-1024)",
		"wal_autocheckpoint(0)", "secure_delete(1)",
	}
	if reader {
		pragmas = []string{"busy_timeout(5000)", "query_only(1)", "cache_size(-1024)"}
	}
	q := url.Values{"_pragma": pragmas}
	if !reader {
		q.Set("_txlock", "immediate")
	}
	u := url.URL{Scheme: "file", Opaque: strings.ReplaceAll(url.PathEscape(path), "%2F", "/"), RawQuery: q.Encode()}
	pool, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	pool.SetMaxOpenConns(1)
	if reader {
		pool.SetMaxOpenConns(4)
		pool.SetMaxIdleConns(4)
	}
	return pool, nil
}

// check answers ErrCorrupt when the pages of the file do not fit together.
func check(ctx context.Context, pool *sql.DB) error {
	var said string
	if err := pool.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&said); err != nil {
		return fmt.Errorf("check database: %w", typed(err))
	}
	if said != "ok" {
		return fmt.Errorf("%w: %s", ErrCorrupt, said)
	}
	return nil
}

// OpenReader opens the database of a state directory for reading alone, beside an agentd that may be running.
func OpenReader(dir string) (*Reader, error) {
	path := filepath.Join(dir, File)
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	return connectReader(path)
}

func connectReader(path string) (*Reader, error) {
	pool, err := connect(path, true)
	if err != nil {
		return nil, err
	}
	return newReader(pool), nil
}

// Read gives the readers: many at once, each sees the last durable state.
func (db *DB) Read() *Reader { return db.read }

// Dir is the state directory.
func (db *DB) Dir() string { return db.dir }

// Close finishes the Writes that were taken up and closes the file.
func (db *DB) Close() error {
	db.once.Do(func() { close(db.stop) })
	<-db.done
	<-db.copied
	return db.release()
}

func (db *DB) release() error {
	var errs []error
	if db.read != nil {
		errs = append(errs, db.read.Close())
	}
	if db.copier != nil {
		errs = append(errs, db.copier.Close())
	}
	if db.write != nil {
		errs = append(errs, db.write.Close())
	}
	if db.lock != nil {
		errs = append(errs, db.lock.Close())
	}
	return errors.Join(errs...)
}

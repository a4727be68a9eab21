package store

import (
	"context"
	"database/sql"
	"sync/atomic"
)

// job is one Write on its way through the writer.
type job struct {
	fn    func(*sql.Tx) error
	taken atomic.Bool // by the writer, or by a caller that gave up
	err   error
	after []func()
	done  chan struct{}
}

// Write runs fn in a transaction and returns once it is durable. Writes that wait at the same time share one commit;
// an error or a panic of one fn undoes that fn alone. fn runs on the one writer goroutine: it must be quick, must not
// call Write, must use nothing but tx, and must bear to run a second time from its beginning: the fault of another one
// may take the shared transaction with it. When ctx ends before fn was started, Write answers its error
// and fn never runs; after that it waits for the outcome.
func (db *DB) Write(ctx context.Context, fn func(tx *sql.Tx) error) error {
	j := &job{fn: fn, done: make(chan struct{})}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case db.queue <- j:
	case <-ctx.Done():
		return ctx.Err()
	case <-db.stop:
		return ErrClosed
	}
	return j.wait(ctx, db.done)
}

func (j *job) wait(ctx context.Context, closed <-chan struct{}) error {
	select {
	case <-j.done:
	case <-closed:
		if !j.taken.Swap(true) {
			return ErrClosed
		}
		<-j.done
	case <-ctx.Done():
		if !j.taken.Swap(true) {
			return ctx.Err()
		}
		<-j.done
	}
	if j.err != nil {
		return j.err
	}
	for _, f := range j.after {
		f()
	}
	return nil
}

// OnCommit keeps f until the Write that tx belongs to is durable, then runs it in the goroutine that called Write,
// before Write returns. If the Write fails, f is forgotten. Call it only from inside the fn of a Write.
func (db *DB) OnCommit(tx *sql.Tx, f func()) {
	if j := db.job(tx); j != nil {
		j.after = append(j.after, f)
	}
}

// job is the one that runs in tx.
func (db *DB) job(tx *sql.Tx) *job {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.hooks[tx]
}

// Attempt runs fn and gives its error. When there is one, what fn wrote in tx is taken back and what it left with
// OnCommit is forgotten, and tx can go on, unless err says that it cannot. Call it only from inside the fn of a Write.
func (db *DB) Attempt(tx *sql.Tx, fn func() error) (failed, err error) {
	j := db.job(tx)
	kept := len(j.after)
	if _, err := db.Exec(tx, "SAVEPOINT attempt"); err != nil {
		return nil, err
	}
	if failed = fn(); failed != nil {
		j.after = j.after[:kept]
		db.undone++
		if _, err := db.Exec(tx, "ROLLBACK TO attempt"); err != nil {
			return failed, err
		}
	}
	_, err = db.Exec(tx, "RELEASE attempt")
	return failed, err
}

// Point is where the shared transaction of some Writes stands. While two are equal, nothing that was written in between
// was taken back: what was read at the first and changed by the reader alone need not be read again.
type Point struct {
	tx     *sql.Tx
	undone int
}

// Point says where tx stands. Call it only from inside the fn of a Write.
func (db *DB) Point(tx *sql.Tx) Point { return Point{tx, db.undone} }

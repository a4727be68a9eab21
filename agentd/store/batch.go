package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"gatehouse/agentd/failpoint"
)

// maxBatch bounds how many Writes share one commit, so that none waits long for the others.
const maxBatch = 128

// serve is the writer: it takes what waits, runs it in one transaction and commits once.
func (db *DB) serve() {
	defer close(db.done)
	for {
		select {
		case j := <-db.queue:
			db.batch(j)
		case <-db.stop:
			for {
				select {
				case j := <-db.queue:
					db.batch(j)
				default:
					return
				}
			}
		}
	}
}

// batch takes first and whatever else waits, and tells every caller once the commit is durable.
func (db *DB) batch(first *job) {
	var jobs []*job
	for j := first; j != nil; j = db.next(len(jobs)) {
		if !j.taken.Swap(true) { // else its caller gave up
			jobs = append(jobs, j)
		}
	}
	if !db.plainly(jobs) {
		for left := jobs; len(left) > 0; {
			left = db.apart(left)
		}
	}
	for _, j := range jobs {
		close(j.done)
	}
	db.learn()
	db.grew(len(jobs))
}

func (db *DB) next(have int) *job {
	if have >= maxBatch {
		return nil
	}
	select {
	case j := <-db.queue:
		return j
	default:
		return nil
	}
}

// plainly runs jobs in one transaction without savepoints, for each of which SQLite would copy the pages that the job
// changes. Faults are rare: when one of several jobs has one, nothing is kept and the answer is no.
func (db *DB) plainly(jobs []*job) bool {
	tx, err := db.begin()
	for _, j := range jobs {
		if err != nil {
			break
		}
		if db.run(tx, j); j.err != nil {
			_ = tx.Rollback() // SQLite may have done it already
			if len(jobs) > 1 {
				forget(jobs)
			}
			return len(jobs) == 1
		}
	}
	commit(tx, jobs, err)
	return true
}

// apart runs jobs in one transaction, each in a savepoint. A fault can take the whole transaction with it, as an
// interrupted statement does: then the job that had it fails, and the others are answered to be run again without it.
func (db *DB) apart(jobs []*job) (again []*job) {
	tx, err := db.begin()
	for _, j := range jobs {
		if err != nil {
			break
		}
		if err = db.one(tx, j); err != nil && j.err != nil {
			_ = tx.Rollback() // SQLite may have done it already
			return unharmed(jobs)
		}
	}
	commit(tx, jobs, err)
	return nil
}

// begin opens the transaction of a batch: what was taken up is brought to its end.
func (db *DB) begin() (*sql.Tx, error) { return db.write.BeginTx(context.Background(), nil) }

// commit ends the transaction of jobs, unless err says that nothing of it can be kept, and tells those that had no fault of
// their own how it went.
func commit(tx *sql.Tx, jobs []*job, err error) {
	switch {
	case err == nil:
		failpoint.Hit("committing")
		err = tx.Commit()
		failpoint.Hit("committed")
	case tx != nil:
		_ = tx.Rollback() // SQLite may have done it already
	}
	for _, j := range jobs {
		if err != nil && j.err == nil {
			j.err = fmt.Errorf("commit: %w", typed(err))
		}
	}
}

// forget makes jobs as if they had never run.
func forget(jobs []*job) {
	for _, j := range jobs {
		j.err, j.after = nil, nil
	}
}

// unharmed are the jobs without a fault of their own, as if they had never run.
func unharmed(jobs []*job) (again []*job) {
	for _, j := range jobs {
		if j.err == nil {
			j.after = nil
			again = append(again, j)
		}
	}
	return again
}

// one runs j between a savepoint and its release. The error it returns is the transaction's, not the job's: after
// it nothing of the batch can be kept.
func (db *DB) one(tx *sql.Tx, j *job) error {
	if _, err := db.Exec(tx, "SAVEPOINT one"); err != nil {
		return err
	}
	if db.run(tx, j); j.err != nil {
		db.undone++
		if _, err := db.Exec(tx, "ROLLBACK TO one"); err != nil {
			return errors.Join(j.err, err)
		}
	}
	_, err := db.Exec(tx, "RELEASE one")
	return err
}

// run runs j and keeps its error.
func (db *DB) run(tx *sql.Tx, j *job) {
	db.hook(tx, j)
	j.err = typed(guard(tx, j.fn))
	db.hook(tx, nil)
	if j.err != nil {
		j.after = nil
	}
}

func (db *DB) hook(tx *sql.Tx, j *job) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if j == nil {
		delete(db.hooks, tx)
		return
	}
	db.hooks[tx] = j
}

// guard turns a panic of fn into an error: one faulty caller must not end the writer of all.
func guard(tx *sql.Tx, fn func(*sql.Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("a write panicked", "panic", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			err = fmt.Errorf("%w: %v", ErrPanicked, p)
		}
	}()
	return fn(tx)
}

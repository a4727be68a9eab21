package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// What is written goes to SQLite's log first, and is durable there. Copying it into the database file costs two more
// syncs, so no Write waits for it: a connection of its own does it beside the writer.
const (
	// perCopy is after how many Writes the log is copied.
	perCopy = 200
	// maxLog is how many pages of 4 KiB the log may hold while Writes come so close together that it is never all
	// copied, and so never begun anew. Then the writer copies the rest itself, between two batches.
	maxLog = 4096
)

// copyLog copies as far as no reader stands in the way, and holds nobody up. What fails is tried again with the next
// Writes: until then the log holds it.
const copyLog = "PRAGMA wal_checkpoint(PASSIVE)"

// copies runs until the writer has ended.
func (db *DB) copies() {
	defer close(db.copied)
	for {
		select {
		case <-db.grown:
			if pages, err := db.copyOnce(); err != nil || pages > maxLog {
				db.behind.Store(true)
			}
		case <-db.uncut:
			_ = db.Erase(context.Background()) // what stands in the way still is tried again
		case <-db.done:
			return
		}
	}
}

// copyOnce copies, and says how many pages the log holds, copied ones included. The file says nothing of that: a log that is
// begun anew is written over the old one, and the file stays as long as it ever was.
func (db *DB) copyOnce() (pages int, err error) {
	var busy, copied int
	if err := db.copier.QueryRowContext(context.Background(), copyLog).Scan(&busy, &pages, &copied); err != nil {
		return 0, fmt.Errorf("copy the log: %w", typed(err))
	}
	return pages, nil
}

// grew counts the Writes of a batch and has the log copied when it is time. Only the writer calls it.
func (db *DB) grew(writes int) {
	if db.behind.Swap(false) {
		_, _ = db.write.ExecContext(context.Background(), copyLog) // it fails when the disk is full: the next Write says so
	}
	if db.written += writes; db.written < perCopy {
		return
	}
	db.written = 0
	select {
	case db.grown <- struct{}{}:
	default: // it is being copied
	}
}

// Erase takes what was deleted out of the files: pages are overwritten when rows are deleted, and the log, which still holds
// them as they were, is copied and cut to nothing. It waits for readers and for the writer, a few seconds at most; after an
// error it is tried again by itself until it is done.
func (db *DB) Erase(ctx context.Context) error {
	err := db.cut(ctx)
	if err != nil {
		time.AfterFunc(cutAgain, func() {
			select {
			case db.uncut <- struct{}{}:
			default: // it is due already
			}
		})
	}
	return err
}

// cutAgain is how long after a failure the log is cut again.
const cutAgain = time.Second

func (db *DB) cut(ctx context.Context) error {
	var busy, pages, copied int
	if err := db.copier.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &copied); err != nil {
		return fmt.Errorf("cut the log: %w", typed(err))
	}
	if busy != 0 {
		return errors.New("cut the log: a reader stands in the way")
	}
	return nil
}

package store

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Errors that callers act on. Test with errors.Is.
var (
	// ErrFull says that the disk has no room: nothing of this Write was kept, and the next one works as soon as
	// there is room again, without any repair.
	ErrFull = errors.New("no room left on the disk of the state directory")
	// ErrCorrupt is a hard fault: the data is damaged or gone. A restart cannot help; a person must restore.
	ErrCorrupt = errors.New("the database is damaged")
	// ErrNewer is a hard fault: the data was written by a newer agentd. Nothing was touched.
	ErrNewer = errors.New("the database is newer than this agentd")
	// ErrModes is a hard fault: others may read or write the state directory.
	ErrModes = errors.New("the state directory is open to others")
	// ErrInUse says that another agentd works on the same state directory.
	ErrInUse = errors.New("another agentd uses this state directory")
	// ErrHeld says that another process has a lock of the state directory.
	ErrHeld = errors.New("another process holds this lock")
	// ErrPanicked says that the fn of the Write panicked. Nothing of it was kept.
	ErrPanicked = errors.New("write panicked")
	// ErrClosed says that the store was closed before the Write was taken up.
	ErrClosed = errors.New("the store is closed")
)

// Hard says whether err needs a person: starting again would not help and might do harm.
func Hard(err error) bool {
	return errors.Is(err, ErrCorrupt) || errors.Is(err, ErrNewer) || errors.Is(err, ErrModes)
}

// typed puts the sentinel that fits into the chain of an SQLite error.
func typed(err error) error {
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return err
	}
	switch code := se.Code(); {
	case code == sqlite3.SQLITE_FULL, code == sqlite3.SQLITE_IOERR_WRITE, code == sqlite3.SQLITE_IOERR_SHMSIZE:
		return fmt.Errorf("%w: %w", ErrFull, err)
	case code&0xff == sqlite3.SQLITE_CORRUPT, code&0xff == sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return err
}

package taint

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/store"
)

// Store keeps sources of runs and marks of files; agentd/store.DB is one.
type Store interface {
	Read() *store.Reader
	// Write runs fn in a transaction and returns when it is durable.
	Write(ctx context.Context, fn func(tx *sql.Tx) error) error
	// Exec is tx.Exec for queries that repeat. Only inside the fn of a Write.
	Exec(tx *sql.Tx, query string, args ...any) (sql.Result, error)
}

// exec runs one statement; its error says what it was for.
func exec(s Store, tx *sql.Tx, what, query string, args ...any) error {
	if _, err := s.Exec(tx, query, args...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// maxOrigins is how many sources are kept for one file. One is enough to taint its reader.
const maxOrigins = 5

// setMarks marks files as holding content from these sources.
func setMarks(s Store, tx *sql.Tx, files []string, by []policy.Source, at time.Time) error {
	for _, f := range files {
		for _, one := range by {
			err := exec(s, tx, "mark file", `INSERT INTO derived_files (path, source, ref, at) VALUES (?,?,?,?)
				ON CONFLICT DO UPDATE SET at = excluded.at`, f, one.Source, one.ID, at.UnixMicro())
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// dropMarks drops the marks that files had before a time. A newer one belongs to another call, which may have written last.
func dropMarks(s Store, tx *sql.Tx, files []string, before time.Time) error {
	for _, f := range files {
		if err := exec(s, tx, "unmark file", "DELETE FROM derived_files WHERE path = ? AND at < ?", f, before.UnixMicro()); err != nil {
			return err
		}
	}
	return nil
}

// saveMarks saves the marks of files that a write has replaced, because the earlier content may be put back, even long
// after a clean run has overwritten it.
func saveMarks(s Store, tx *sql.Tx, callID string, files []string, at time.Time) error {
	for _, f := range files {
		err := exec(s, tx, "keep marks", `INSERT OR IGNORE INTO kept_marks (call_id, path, source, ref, at)
			SELECT ?, path, source, ref, ? FROM derived_files WHERE path = ?`, callID, at.UnixMicro(), f)
		if err != nil {
			return err
		}
	}
	return nil
}

// restoreMarks gives files the marks they had before a write that was taken back. An empty callID stands for any write.
func restoreMarks(s Store, tx *sql.Tx, callID string, files []string, at time.Time) error {
	for _, f := range files {
		err := exec(s, tx, "bring marks back", `INSERT INTO derived_files (path, source, ref, at)
			SELECT DISTINCT path, source, ref, ?1 FROM kept_marks WHERE path = ?2 AND (?3 = '' OR call_id = ?3)
			ON CONFLICT DO UPDATE SET at = excluded.at`, at.UnixMicro(), f, callID)
		if err != nil {
			return err
		}
	}
	return nil
}

// mark is what is on record of a file that holds outside content.
type mark struct{ path, source, ref string }

// marksWhere reads the marks of files that a condition picks, one for each file, oldest first.
func marksWhere(ctx context.Context, s Store, having string, args ...any) ([]mark, error) {
	rows, err := s.Read().QueryContext(ctx,
		"SELECT path, source, ref, min(at) FROM derived_files GROUP BY path "+having+" ORDER BY 4, path", args...)
	if err != nil {
		return nil, fmt.Errorf("read marked files: %w", err)
	}
	defer rows.Close()
	var all []mark
	for rows.Next() {
		var m mark
		var at int64
		if err := rows.Scan(&m.path, &m.source, &m.ref, &at); err != nil {
			return nil, fmt.Errorf("read marked files: %w", err)
		}
		all = append(all, m)
	}
	return all, rows.Err()
}

package taint

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"gatehouse/agentd/policy"
)

// maxSources bounds the sources that a run names. One is enough to taint it.
const maxSources = 50

// Sources are the origins of the outside content in the context of a run.
type Sources []policy.Source

// Add adds a source and reports whether it is new.
func (s *Sources) Add(one policy.Source) bool {
	if len(*s) >= maxSources || slices.Contains(*s, one) {
		return false
	}
	*s = append(*s, one)
	return true
}

// With returns a copy that also holds more.
func (s Sources) With(more []policy.Source) []policy.Source {
	all := slices.Clone(s)
	for _, one := range more {
		all.Add(one)
	}
	return all
}

// Record adds a source to what is on record of a run.
func Record(s Store, tx *sql.Tx, runID string, one policy.Source, at time.Time) error {
	return exec(s, tx, "keep taint", "INSERT OR IGNORE INTO run_taint (run_id, source, ref, at) VALUES (?,?,?,?)",
		runID, one.Source, one.ID, at.UnixMicro())
}

// OfRun reads the sources of a run.
func OfRun(ctx context.Context, s Store, runID string) (Sources, error) {
	return sourcesWhere(ctx, s, "run_id = ?", runID)
}

// OfSession reads the sources of the root runs that a turn of a session reads: those before it, since the last fresh start.
func OfSession(ctx context.Context, s Store, session string, before int64) (Sources, error) {
	return sourcesWhere(ctx, s, `run_id IN (SELECT id FROM runs WHERE session_id = ?1 AND depth = 0 AND seq < ?2
		AND seq > (SELECT fresh_after FROM sessions WHERE id = ?1))`, session, before)
}

func sourcesWhere(ctx context.Context, s Store, where string, args ...any) (Sources, error) {
	rows, err := s.Read().QueryContext(ctx, "SELECT DISTINCT source, ref FROM run_taint WHERE "+where+" ORDER BY at, source, ref", args...)
	if err != nil {
		return nil, fmt.Errorf("read taint: %w", err)
	}
	defer rows.Close()
	var all Sources
	for rows.Next() {
		var one policy.Source
		if err := rows.Scan(&one.Source, &one.ID); err != nil {
			return nil, fmt.Errorf("read taint: %w", err)
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
)

// WorkDone is what one agent did in a span, as the records have it.
type WorkDone struct {
	Agent                         string
	Done, Failed, Stopped, AtWork int
	Did                           []string // what its calls changed or sent, the newest first; at most maxDone
	More                          int
	Troubles                      []string // why its tasks failed, each once, at most maxDone
}

// maxDone is how many lines say what an agent did.
const maxDone = 12

// inSpan picks the runs that were at work at some time since ?1. Those that are open still may have begun long before.
const inSpan = "(created_at >= ?1 OR ended_at >= ?1 OR state IN ('queued', 'running', 'parked'))"

// WorkSince is what each agent did since a moment, by id, and whether content from outside stands behind some of it. Turns that
// only tell something are left out.
func (r *Runtime) WorkSince(ctx context.Context, since time.Time) (all []WorkDone, outside bool, err error) {
	at := micros(since)
	if all, err = r.countWork(ctx, at); err != nil {
		return nil, false, err
	}
	for i := range all {
		if err := r.fillWork(ctx, &all[i], at); err != nil {
			return nil, false, err
		}
	}
	var marked int
	err = r.store.Read().QueryRowContext(ctx, `SELECT count(*) FROM run_taint WHERE run_id IN
		(SELECT id FROM runs WHERE `+inSpan+` UNION ALL SELECT run_id FROM run_calls WHERE ended_at >= ?1)`, at).Scan(&marked)
	if err != nil {
		return nil, false, fmt.Errorf("read taint: %w", err)
	}
	return all, marked > 0, nil
}

func (r *Runtime) countWork(ctx context.Context, at int64) (all []WorkDone, err error) {
	rows, err := r.store.Read().QueryContext(ctx, `SELECT agent, sum(state = 'done'), sum(state = 'failed'), sum(state = 'stopped'),
		sum(state IN ('queued', 'running', 'parked')) FROM runs WHERE `+inSpan+` AND said = '' AND joined = ''
		GROUP BY agent ORDER BY agent`, at)
	if err != nil {
		return nil, fmt.Errorf("count runs: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var w WorkDone
		if err := rows.Scan(&w.Agent, &w.Done, &w.Failed, &w.Stopped, &w.AtWork); err != nil {
			return nil, fmt.Errorf("count runs: %w", err)
		}
		all = append(all, w)
	}
	return all, rows.Err()
}

// fillWork says what an agent changed or sent, and why its tasks failed.
func (r *Runtime) fillWork(ctx context.Context, w *WorkDone, at int64) error {
	did, err := r.texts(ctx, `SELECT summary FROM run_calls WHERE agent = ? AND ended_at >= ? AND state = 'done'
		AND tier NOT IN ('', 'green') AND summary <> '' ORDER BY ended_at DESC`, w.Agent, at)
	if err != nil {
		return err
	}
	w.Did, w.More = did[:min(len(did), maxDone)], max(0, len(did)-maxDone)
	failed, err := r.texts(ctx, "SELECT error FROM runs WHERE agent = ? AND ended_at >= ? AND state = 'failed' ORDER BY seq DESC LIMIT ?",
		w.Agent, at, maxDone)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, body := range failed {
		var e wire.ErrorData
		if json.Unmarshal([]byte(body), &e) == nil && e.Title != "" && !seen[e.Title] {
			seen[e.Title] = true
			w.Troubles = append(w.Troubles, e.Title)
		}
	}
	return nil
}

// texts reads one column.
func (r *Runtime) texts(ctx context.Context, query string, args ...any) (all []string, err error) {
	rows, err := r.store.Read().QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read work: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, fmt.Errorf("read work: %w", err)
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

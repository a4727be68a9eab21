package transcript

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gatehouse/agentd/redact"
)

// Reader reads the tables; agentd/store.Reader is one.
type Reader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Writer writes them; agentd/store.DB is one.
type Writer interface {
	Exec(tx *sql.Tx, query string, args ...any) (sql.Result, error)
}

// Insert adds an entry to the transcript of its run, redacted.
func Insert(w Writer, tx *sql.Tx, e Entry) error {
	calls := ""
	if len(e.Calls) > 0 {
		clean := slices.Clone(e.Calls)
		for i := range clean {
			clean[i].Args = redact.JSON(clean[i].Args)
		}
		b, err := json.Marshal(clean)
		if err != nil {
			return fmt.Errorf("keep entry: %w", err)
		}
		calls = string(b)
	}
	_, err := w.Exec(tx, `INSERT INTO run_entries (run_id, parent, kind, step, text, calls, call_id, created_at)
		VALUES (?1, coalesce((SELECT max(seq) FROM run_entries WHERE run_id = ?1), 0), ?2, ?3, ?4, ?5, ?6, ?7)`,
		e.RunID, e.Kind, e.Step, redact.Text(e.Text), calls, e.CallID, e.At.UnixMicro())
	if err != nil {
		return fmt.Errorf("keep entry: %w", err)
	}
	return nil
}

// OfRuns reads the transcripts of some runs in the order in which they were written.
func OfRuns(ctx context.Context, r Reader, runIDs ...string) ([]Entry, error) {
	ids, err := json.Marshal(runIDs)
	if err != nil {
		return nil, fmt.Errorf("run ids: %w", err)
	}
	rows, err := r.QueryContext(ctx, `SELECT run_id, kind, step, text, calls, call_id, created_at FROM run_entries
		WHERE run_id IN (SELECT value FROM json_each(?)) ORDER BY seq`, string(ids))
	if err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	defer rows.Close()
	var all []Entry
	for rows.Next() {
		e, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("read transcript: %w", err)
		}
		all = append(all, e)
	}
	return all, rows.Err()
}

func scan(rows *sql.Rows) (Entry, error) {
	var e Entry
	var calls string
	var at int64
	if err := rows.Scan(&e.RunID, &e.Kind, &e.Step, &e.Text, &calls, &e.CallID, &at); err != nil {
		return e, err
	}
	if calls != "" {
		if err := json.Unmarshal([]byte(calls), &e.Calls); err != nil {
			return e, err
		}
	}
	e.At = time.UnixMicro(at).UTC()
	return e, nil
}

// AsWritten reads the transcript of a run with the arguments of its calls as the model wrote them. The transcript keeps them
// redacted, and the gate knows a call of a former process by every byte of its arguments.
func AsWritten(ctx context.Context, r Reader, runID string) ([]Entry, error) {
	entries, err := OfRuns(ctx, r, runID)
	if err != nil {
		return nil, err
	}
	args, err := writtenArgs(ctx, r, runID)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		for i := range e.Calls {
			if written, ok := args[e.Calls[i].ID]; ok {
				e.Calls[i].Args = written
			}
		}
	}
	return entries, nil
}

// writtenArgs are the arguments of the calls of a run as the model wrote them, by the id of the call.
func writtenArgs(ctx context.Context, r Reader, runID string) (map[string]string, error) {
	rows, err := r.QueryContext(ctx, "SELECT id, args FROM run_calls WHERE run_id = ?", runID)
	if err != nil {
		return nil, fmt.Errorf("read arguments: %w", err)
	}
	defer rows.Close()
	all := map[string]string{}
	for rows.Next() {
		var id, args string
		if err := rows.Scan(&id, &args); err != nil {
			return nil, fmt.Errorf("read arguments: %w", err)
		}
		all[id] = args
	}
	return all, rows.Err()
}

package runtime

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/runtime/event"
	"gatehouse/agentd/runtime/transcript"
	"gatehouse/agentd/wire"
)

// micros is how times stand in the tables: Unix microseconds, 0 for the zero time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

// txn is a transaction of the store. Its statements are prepared once: a turn makes some twenty of them.
type txn struct {
	tx    *sql.Tx
	store Store
}

// exec runs one statement and says what it was for when it fails.
func (t txn) exec(what, query string, args ...any) error {
	if _, err := t.store.Exec(t.tx, query, args...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// row reads one row.
func (t txn) row(query string, args ...any) *sql.Row { return t.store.QueryRow(t.tx, query, args...) }

// write runs fn in a durable transaction of s.
func write(ctx context.Context, s Store, fn func(txn) error) error {
	return s.Write(ctx, func(tx *sql.Tx) error { return fn(txn{tx, s}) })
}

// inTx is a change for the event log.
func (r *Runtime) inTx(do func(txn) error) event.Change {
	return func(tx *sql.Tx) error { return do(txn{tx, r.store}) }
}

// insertRun adds a queued run and gives it its number.
func insertRun(tx txn, r runRow) (int64, error) {
	origin, err := json.Marshal(r.Origin)
	if err != nil {
		return 0, fmt.Errorf("keep run: %w", err)
	}
	res, err := tx.store.Exec(tx.tx, `INSERT INTO runs (id, root_id, parent_id, parent_call, session_id, agent, state, text, origin, depth,
		attempt, steps, calls, worst, active_ms, usage_in, usage_out, model, verdict, claims, final, error, sent_at, created_at,
		started_at, ended_at, files)
		VALUES (?,?,?,?,?,?,'queued',?,?,?,1,0,0,'',0,0,0,'','','','','',?,?,0,0,?)`,
		r.ID, r.RootID, r.ParentID, r.ParentCall, r.SessionID, r.Agent, redact.Text(r.Text), string(origin), r.Depth,
		micros(r.SentAt), micros(r.CreatedAt), filesColumn(r.Files))
	if err != nil {
		return 0, fmt.Errorf("keep run: %w", err)
	}
	return res.LastInsertId()
}

// updateState stores the state of an open run.
func updateState(tx txn, id, session string, root bool, s wire.RunState, activeMS int64, now time.Time) error {
	err := tx.exec("keep state", `UPDATE runs SET state = ?, active_ms = ?, started_at = iif(started_at = 0 AND ? <> 'queued', ?, started_at)
		WHERE id = ? AND state IN ('queued', 'running', 'parked')`, string(s), activeMS, string(s), micros(now), id)
	if err != nil || !root {
		return err
	}
	return tx.exec("keep state", "UPDATE sessions SET state = ? WHERE id = ?", string(s), session)
}

// insertEntry adds to the transcript of a run.
func insertEntry(tx txn, e transcript.Entry) error { return transcript.Insert(tx.store, tx.tx, e) }

// insertCall adds a call that the gate has not seen yet.
func insertCall(tx txn, c *call, now time.Time) error {
	return tx.exec("keep call", `INSERT INTO run_calls (id, run_id, root_id, agent, tool, args, reason, state, action, tier, summary, result,
		target, child, approval_id, created_at, started_at, ended_at)
		VALUES (?,?,?,?,?,?,?,'requested','','','','',?,'','',?,0,0)`,
		c.ID, c.run.id, c.run.t.root.id, c.actor(), c.Tool, c.Args, c.reason, c.target, micros(now))
}

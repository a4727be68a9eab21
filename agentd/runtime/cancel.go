package runtime

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
)

// Cancel stops the tree that a run belongs to and returns when it has stopped, or when that is kept for a run that is on
// record and about to start. A run that has ended stays as it is.
func (r *Runtime) Cancel(ctx context.Context, c wire.RunCancel) (wire.ChatAck, error) {
	t := r.tree(c.RunID)
	if t == nil {
		return r.cancelStored(ctx, c)
	}
	r.stopTree(t, &stopped{by: c.By})
	select {
	case <-t.done:
		return r.ack(ctx, t.root.id)
	case <-ctx.Done():
		return wire.ChatAck{}, context.Cause(ctx)
	}
}

// cancelStored keeps the stop of a run that nobody works on, unless it has ended.
func (r *Runtime) cancelStored(ctx context.Context, c wire.RunCancel) (wire.ChatAck, error) {
	ack, err := r.ack(ctx, c.RunID)
	if err != nil || !ack.State.Open() {
		return ack, err
	}
	if err := write(ctx, r.d.Store, func(tx txn) error { return r.AcceptCancel(ctx, tx.tx, c) }); err != nil {
		return wire.ChatAck{}, r.away(err)
	}
	return ack, nil
}

// stopTree stops a tree, also one that still waits for its turn.
func (r *Runtime) stopTree(t *tree, why *stopped) {
	t.cancel(why)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spawn(func() { r.serve(t, func() error { return why }) })
}

// AcceptCancel is Cancel inside a Write of the store, and stops the run once tx is durable. It holds even for a message that
// is still on its way.
func (r *Runtime) AcceptCancel(_ context.Context, in *sql.Tx, c wire.RunCancel) error {
	tx := txn{in, r.d.Store}
	var ended int
	err := tx.row("SELECT count(*) FROM runs WHERE id = ? AND state IN ('done', 'failed', 'stopped')", c.RunID).Scan(&ended)
	if err != nil {
		return fmt.Errorf("keep stop: %w", err)
	}
	if ended > 0 {
		return nil
	}
	r.d.Store.OnCommit(in, func() { r.carryOut(c) })
	return tx.exec("keep stop", "INSERT INTO run_cancels (run_id, origin, at) VALUES (?,?,?) ON CONFLICT DO NOTHING",
		c.RunID, asJSON(c.By), micros(r.d.Now()))
}

// carryOut stops a run whose stop is on record.
func (r *Runtime) carryOut(c wire.RunCancel) {
	why := &stopped{by: c.By}
	if t := r.tree(c.RunID); t != nil {
		r.stopTree(t, why)
		return
	}
	rows, err := runsWhere(context.Background(), r.d.Store.Read(), "id = ?", c.RunID)
	if err != nil {
		r.d.Log.Error("run not read for a stop", "run_id", c.RunID, "error", err)
	}
	if len(rows) > 0 && !wire.RunState(rows[0].State).Open() {
		return
	}
	if t := r.remember(c.RunID, why); t != nil {
		r.stopTree(t, why)
	}
}

// remember keeps a stop for a message that has not come or not started yet; of one that is at work it gives the tree.
func (r *Runtime) remember(runID string, why *stopped) *tree {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.byRun[runID]
	if t == nil {
		r.cancelled[runID] = why
	}
	return t
}

// stopsKept reads the stops that a former process kept, and drops those whose run never came.
func (r *Runtime) stopsKept(ctx context.Context) (map[string]*stopped, error) {
	const patience = 30 * 24 * time.Hour
	before := micros(r.d.Now().Add(-patience))
	err := write(ctx, r.d.Store, func(tx txn) error {
		return tx.exec("drop old stops", "DELETE FROM run_cancels WHERE at < ?", before)
	})
	if err != nil {
		return nil, err
	}
	rows, err := r.d.Store.Read().QueryContext(ctx, "SELECT run_id, origin FROM run_cancels")
	if err != nil {
		return nil, fmt.Errorf("read stops: %w", err)
	}
	defer rows.Close()
	all := map[string]*stopped{}
	for rows.Next() {
		var id, origin string
		if err := rows.Scan(&id, &origin); err != nil {
			return nil, fmt.Errorf("read stops: %w", err)
		}
		s := &stopped{}
		if err := json.Unmarshal([]byte(origin), &s.by); err != nil {
			return nil, fmt.Errorf("read stops: %w", err)
		}
		all[id] = s
	}
	return all, rows.Err()
}

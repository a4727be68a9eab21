package runtime

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
)

// Cancel stops the tree that a run belongs to, with the sub-agents that it began, and returns when it has stopped, or when that
// is kept for a run that is on record and about to start. With c.Alone it stops only that run, with what it handed on. A run
// that has ended stays as it is.
func (r *Runtime) Cancel(ctx context.Context, c wire.RunCancel) (wire.ChatAck, error) {
	t := r.tree(c.RunID)
	if t == nil {
		return r.cancelStored(ctx, c)
	}
	why := &stoppedError{by: c.By, alone: c.Alone}
	if member := t.run(c.RunID); c.Alone && member != nil && member != t.root {
		return r.cancelMember(ctx, member, c)
	}
	r.stopTree(t, why)
	select {
	case <-t.done:
		return r.ack(ctx, t.root.id)
	case <-ctx.Done():
		return wire.ChatAck{}, context.Cause(ctx)
	}
}

// cancelMember stops one delegated run. The one that delegated it reads that it was stopped, and goes on.
func (r *Runtime) cancelMember(ctx context.Context, member *run, c wire.RunCancel) (wire.ChatAck, error) {
	if err := write(ctx, r.store, func(tx txn) error { return r.AcceptCancel(ctx, tx.tx, c) }); err != nil {
		return wire.ChatAck{}, r.storeError(err)
	}
	if ack, err := r.ack(ctx, member.id); err != nil || !ack.State.Open() {
		return ack, err
	}
	select {
	case <-member.over:
		return r.ack(ctx, member.id)
	case <-member.t.done:
		return r.ack(ctx, member.id)
	case <-ctx.Done():
		return wire.ChatAck{}, context.Cause(ctx)
	}
}

// stopMember stops a run of the tree alone, or the whole tree.
func (t *tree) stopMember(member *run, why *stoppedError) {
	if why.alone && member != t.root {
		member.stop(why)
		return
	}
	t.cancel(why)
}

// cancelStored keeps the stop of a run that nobody works on, unless it has ended and has no sub-agents at work.
func (r *Runtime) cancelStored(ctx context.Context, c wire.RunCancel) (wire.ChatAck, error) {
	ack, err := r.ack(ctx, c.RunID)
	if err != nil {
		return ack, err
	}
	begun, err := r.openSubsOf(ctx, "parent_root", c.RunID)
	if err != nil || !ack.State.Open() && len(begun) == 0 {
		return ack, err
	}
	if err := write(ctx, r.store, func(tx txn) error { return r.AcceptCancel(ctx, tx.tx, c) }); err != nil {
		return wire.ChatAck{}, r.storeError(err)
	}
	return ack, nil
}

// stopTree stops a tree, even one that still waits for its turn.
func (r *Runtime) stopTree(t *tree, why *stoppedError) {
	t.cancel(why)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spawn(func() { r.runTree(t, func() error { return why }) })
}

// AcceptCancel is Cancel inside a Write of the store, and stops the run once tx is durable. It holds even for a message that
// is still on its way.
func (r *Runtime) AcceptCancel(_ context.Context, in *sql.Tx, c wire.RunCancel) error {
	tx := txn{in, r.store}
	var ended int
	err := tx.row("SELECT count(*) FROM runs WHERE id = ? AND state IN ('done', 'failed', 'stopped')", c.RunID).Scan(&ended)
	if err != nil {
		return fmt.Errorf("keep stop: %w", err)
	}
	if !c.Alone {
		if err := r.stopSubs(tx, c.RunID, c.By); err != nil {
			return err
		}
	}
	if ended > 0 && c.Alone {
		return nil
	}
	r.store.OnCommit(in, func() { r.cancelStoredRun(c) }) // an ended run may belong to a tree that still works
	if ended > 0 {
		return nil
	}
	return tx.exec("keep stop", `INSERT INTO run_cancels (run_id, origin, at, alone) VALUES (?1,?2,?3,?4)
		ON CONFLICT DO UPDATE SET alone = min(alone, ?4)`,
		c.RunID, toJSON(c.By), micros(r.now()), c.Alone)
}

// cancelStoredRun stops a run whose stop is on record.
func (r *Runtime) cancelStoredRun(c wire.RunCancel) {
	why := &stoppedError{by: c.By, alone: c.Alone}
	if t := r.tree(c.RunID); t != nil {
		if member := t.run(c.RunID); c.Alone && member != nil && member != t.root {
			member.stop(why)
			return
		}
		r.stopTree(t, why)
		return
	}
	rows, err := r.runsWhere(context.Background(), "id = ?", c.RunID)
	if err != nil {
		r.log.Error("run not read for a stop", "run_id", c.RunID, "error", err)
	}
	if len(rows) > 0 && !wire.RunState(rows[0].State).Open() {
		return
	}
	if t := r.keepCancel(c.RunID, why); t != nil {
		r.stopTree(t, why)
	}
}

// keepCancel keeps the stop of a message that has not come or not started yet. When its tree is at work, it returns that.
func (r *Runtime) keepCancel(runID string, why *stoppedError) *tree {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.byRun[runID]
	if t == nil {
		r.earlyCancels[runID] = why
	}
	return t
}

// loadCancels reads the stops that a former process kept, and drops those whose run never came.
func (r *Runtime) loadCancels(ctx context.Context) (map[string]*stoppedError, error) {
	const patience = 30 * 24 * time.Hour
	before := micros(r.now().Add(-patience))
	err := write(ctx, r.store, func(tx txn) error {
		return tx.exec("drop old stops", "DELETE FROM run_cancels WHERE at < ?", before)
	})
	if err != nil {
		return nil, err
	}
	rows, err := r.store.Read().QueryContext(ctx, "SELECT run_id, origin, alone FROM run_cancels")
	if err != nil {
		return nil, fmt.Errorf("read stops: %w", err)
	}
	defer rows.Close()
	all := map[string]*stoppedError{}
	for rows.Next() {
		var id, origin string
		s := &stoppedError{}
		if err := rows.Scan(&id, &origin, &s.alone); err != nil {
			return nil, fmt.Errorf("read stops: %w", err)
		}
		if err := json.Unmarshal([]byte(origin), &s.by); err != nil {
			return nil, fmt.Errorf("read stops: %w", err)
		}
		all[id] = s
	}
	return all, rows.Err()
}

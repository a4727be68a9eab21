package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/wire"
)

// recover queues every run that a former process left open, in the order in which they came.
func (r *Runtime) recover(ctx context.Context) error {
	stops, err := r.stopsKept(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(r.tidy(ctx), r.files.Tidy(ctx, r.d.Now()), r.endLeft(ctx)); err != nil {
		return err
	}
	rows, err := runsWhere(ctx, r.d.Store.Read(), "depth = 0 AND state IN ('queued', 'running', 'parked') ORDER BY seq")
	if err != nil {
		return err
	}
	for _, row := range rows {
		t, err := r.revive(ctx, row)
		if err != nil {
			return fmt.Errorf("run %s: %w", row.ID, err)
		}
		for _, member := range t.runs {
			if stop := stops[member.id]; stop != nil {
				t.cancel(stop)
				delete(stops, member.id)
			}
		}
		r.enqueue(t)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, stop := range stops {
		r.cancelled[id] = stop
	}
	return nil
}

// tidy ends delegated runs whose root has ended, and drops the pieces of answers that have long been whole: readers
// get the answer itself.
func (r *Runtime) tidy(ctx context.Context) error {
	now := r.d.Now()
	return write(ctx, r.d.Store, func(tx txn) error {
		err := tx.exec("end orphans", `UPDATE runs SET state = 'stopped', ended_at = ? WHERE depth > 0 AND state IN ('queued', 'running', 'parked')
			AND root_id IN (SELECT id FROM runs WHERE depth = 0 AND state IN ('done', 'failed', 'stopped'))`, micros(now))
		if err != nil {
			return err
		}
		return tx.exec("drop old pieces", `DELETE FROM run_events WHERE event = 'delta' AND root_id IN
			(SELECT id FROM runs WHERE depth = 0 AND ended_at BETWEEN 1 AND ?)`, micros(now.Add(-24*time.Hour)))
	})
}

// revive makes the tree of a run as the tables have it.
func (r *Runtime) revive(ctx context.Context, row runRow) (*tree, error) {
	m := wire.ChatMessage{RunID: row.ID, SessionID: row.SessionID, Agent: row.Agent, Text: row.Text}
	if err := json.Unmarshal(row.Origin, &m.From); err != nil {
		return nil, fmt.Errorf("origin: %w", err)
	}
	t := r.newTree(m, row.Seq)
	if err := t.reviveStream(ctx); err != nil {
		return nil, err
	}
	t.root.reviveFrom(row)
	members, err := runsWhere(ctx, r.d.Store.Read(), "root_id = ? AND depth > 0 ORDER BY seq", row.ID)
	if err != nil {
		return nil, err
	}
	byID := map[string]*run{row.ID: t.root}
	t.usage, t.handed = t.root.usage, len(members)
	for _, m := range members {
		child := &run{t: t, parent: byID[m.ParentID], parentCall: m.ParentCall, id: m.ID, agent: m.Agent, text: m.Text, depth: m.Depth, lane: r.sub}
		if child.parent == nil {
			return nil, fmt.Errorf("run %s has no parent %s", m.ID, m.ParentID)
		}
		child.ready(child.parent.ctx, m.ActiveMS)
		child.reviveFrom(m)
		t.runs, byID[m.ID] = append(t.runs, child), child
		t.usage.Input, t.usage.Output = t.usage.Input+child.usage.Input, t.usage.Output+child.usage.Output
	}
	for _, member := range t.runs {
		if member.taint, err = taint.OfRun(ctx, r.d.Store, member.id); err != nil {
			return nil, err
		}
	}
	for _, member := range t.runs[1:] {
		r.mu.Lock()
		r.byRun[member.id] = t
		r.mu.Unlock()
	}
	return t, nil
}

// reviveStream goes on with the numbers beyond any that the former process can have shown.
func (t *tree) reviveStream(ctx context.Context) error {
	db := t.rt.d.Store.Read()
	if err := db.QueryRowContext(ctx, "SELECT coalesce(max(n), 0) FROM run_events WHERE root_id = ?", t.root.id).Scan(&t.n); err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	t.n = (t.n/epoch + 1) * epoch
	rows, err := db.QueryContext(ctx, "SELECT json_extract(data, '$.seq') FROM run_events WHERE root_id = ? AND event = 'receipt'", t.root.id)
	if err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var seq int64
		if err := rows.Scan(&seq); err != nil {
			return fmt.Errorf("read events: %w", err)
		}
		t.receipts[seq] = true
	}
	return rows.Err()
}

// reviveFrom takes over what the former process knew of the run.
func (r *run) reviveFrom(row runRow) {
	r.revived, r.ended = row.StartedAt != time.Time{}, wire.RunState(row.State)
	r.attempt, r.steps, r.worst, r.total = row.Attempt, row.Steps, policy.Tier(row.Worst), row.Calls
	r.usage = wire.Usage{Input: row.UsageIn, Output: row.UsageOut}
	r.final0, r.error0 = row.Final, row.Error
	r.watch = newStopwatch(r.t.rt.limits.Wall, msToDuration(row.ActiveMS), r.outOfTime)
	if r.ended.Open() { // a queued one too: it may have begun to speak before its start was durable
		r.anew()
	}
}

// anew begins another attempt at the step: what was said in the one before is void for whoever reads along.
func (r *run) anew() {
	r.attempt++
	attempt := r.attempt
	r.t.later(func(tx txn) error {
		return tx.exec("keep attempt", "UPDATE runs SET attempt = ? WHERE id = ?", attempt, r.id)
	})
}

// readBack puts the steps of a former life before the model again, and finds the calls that have no result.
func (r *run) readBack(ctx context.Context) error {
	entries, err := asWritten(ctx, r.t.rt.d.Store.Read(), r.id)
	if err != nil {
		return err
	}
	refs, results := map[string]string{}, map[string]bool{}
	for _, e := range entries {
		if e.Kind == kindAssistant {
			r.open, r.finished, r.answer = nil, len(e.Calls) == 0, e.Text
			for _, n := range e.Calls {
				c := r.newCall(n, e.Text)
				c.revived = true
				r.open = append(r.open, c)
			}
		}
		if e.Kind == kindCheck {
			r.restated, r.earlier, r.finished = true, r.answer, false
		}
		if e.Kind == kindTool {
			results[e.CallID] = true
			r.made++
		}
		r.steps = max(r.steps, e.Step)
		r.messages = append(r.messages, e.message(refs))
	}
	r.open = withoutResult(r.open, results)
	return nil
}

func withoutResult(calls []*call, results map[string]bool) []*call {
	var open []*call
	for _, c := range calls {
		if !results[c.ID] {
			open = append(open, c)
		}
	}
	return open
}

func msToDuration(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

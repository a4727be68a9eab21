package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/runtime/transcript"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/wire"
)

// resumeRuns queues every run that a former process left open, in the order of their messages.
func (r *Runtime) resumeRuns(ctx context.Context) error {
	stops, err := r.loadCancels(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(r.tidyRuns(ctx), r.files.Tidy(ctx, r.now()), r.endOrphanCalls(ctx), r.archiveStale(ctx)); err != nil {
		return err
	}
	rows, err := r.runsWhere(ctx, "depth = 0 AND state IN ('queued', 'running', 'parked') ORDER BY seq")
	if err != nil {
		return err
	}
	for _, row := range rows {
		t, err := r.resumeTree(ctx, row)
		if err != nil {
			return fmt.Errorf("run %s: %w", row.ID, err)
		}
		for _, member := range t.runs {
			if stop := stops[member.id]; stop != nil {
				t.stopMember(member, stop)
				delete(stops, member.id)
			}
		}
		r.enqueue(t)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, stop := range stops {
		r.earlyCancels[id] = stop
	}
	return nil
}

// tidyRuns ends delegated runs whose root has ended, and drops the deltas of answers that ended long ago: readers get the
// answer itself.
func (r *Runtime) tidyRuns(ctx context.Context) error {
	now := r.now()
	return write(ctx, r.store, func(tx txn) error {
		err := tx.exec("end orphans", `UPDATE runs SET state = 'stopped', ended_at = ?
			WHERE depth > 0 AND state IN ('queued', 'running', 'parked') AND root_id IN
			(SELECT id FROM runs WHERE depth = 0 AND state IN ('done', 'failed', 'stopped'))`, micros(now))
		if err != nil {
			return err
		}
		return tx.exec("drop old pieces", `DELETE FROM run_events WHERE event = 'delta' AND root_id IN
			(SELECT id FROM runs WHERE depth = 0 AND ended_at BETWEEN 1 AND ?)`, micros(now.Add(-24*time.Hour)))
	})
}

// resumeTree makes the tree of a run as the tables have it.
func (r *Runtime) resumeTree(ctx context.Context, row runRow) (*tree, error) {
	m := wire.ChatMessage{RunID: row.ID, SessionID: row.SessionID, Agent: row.Agent, Text: row.Text, Files: row.Files}
	if err := json.Unmarshal(row.Origin, &m.From); err != nil {
		return nil, fmt.Errorf("origin: %w", err)
	}
	t := r.newTree(m, row.Seq)
	t.levelCap, t.root.said, t.budget = row.LevelCap, row.Said, row.BudgetRoot
	t.came, t.begun = row.CreatedAt, !row.StartedAt.IsZero()
	var err error
	if t.joined, err = r.runsWhere(ctx, "joined = ? ORDER BY seq", row.ID); err != nil {
		return nil, err
	}
	if err := t.takeUpSub(ctx); err != nil {
		return nil, err
	}
	receipts, err := t.events.Resume(ctx)
	if err != nil {
		return nil, err
	}
	for _, seq := range receipts {
		t.receipts[seq] = true
	}
	t.root.resumeFrom(row)
	if err := t.resumeChildren(ctx); err != nil {
		return nil, err
	}
	for _, member := range t.runs {
		if member.taint, err = taint.OfRun(ctx, r.store, member.id); err != nil {
			return nil, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, member := range t.runs[1:] {
		r.byRun[member.id] = t
	}
	return t, nil
}

// resumeChildren adds the delegated runs, which follow their parents in the table.
func (t *tree) resumeChildren(ctx context.Context) error {
	rows, err := t.rt.runsWhere(ctx, "root_id = ? AND depth > 0 ORDER BY seq", t.root.id)
	if err != nil {
		return err
	}
	byID := map[string]*run{t.root.id: t.root}
	begun, err := subsWhere(ctx, t.rt.store.Read(), "s.parent_root = ?", t.root.id)
	if err != nil {
		return err
	}
	t.usage, t.handoffs = t.root.usage, len(rows)+len(begun)
	for _, row := range rows {
		parent := byID[row.ParentID]
		if parent == nil {
			return fmt.Errorf("run %s has no parent %s", row.ID, row.ParentID)
		}
		child := parent.newChild(row.ID, row.ParentCall, row.Agent, row.Text)
		child.resumeFrom(row)
		t.runs, byID[row.ID] = append(t.runs, child), child
		t.usage.Input += child.usage.Input
		t.usage.Output += child.usage.Output
	}
	return nil
}

// resumeFrom takes over what is on record of the run.
func (r *run) resumeFrom(row runRow) {
	r.resumed, r.state = row.StartedAt != time.Time{}, wire.RunState(row.State)
	r.attempt, r.steps, r.worstTier, r.callCount = row.Attempt, row.Steps, policy.Tier(row.Worst), row.Calls
	r.usage = wire.Usage{Input: row.UsageIn, Output: row.UsageOut}
	r.finalJSON, r.errorJSON = row.Final, row.Error
	r.watch = newStopwatch(r.wall(), msToDuration(row.ActiveMS), r.outOfTime)
	if r.state.Open() { // also a queued one: it may have begun to speak before its start was durable
		r.nextAttempt()
	}
}

// nextAttempt begins another attempt at the step: readers drop what was said in the one before.
func (r *run) nextAttempt() {
	r.attempt++
	attempt := r.attempt
	r.t.later(func(tx txn) error {
		return tx.exec("keep attempt", "UPDATE runs SET attempt = ? WHERE id = ?", attempt, r.id)
	})
}

// loadTranscript puts the steps of a former process before the model again, and finds the calls that have no result.
func (r *run) loadTranscript(ctx context.Context) error {
	entries, err := transcript.AsWritten(ctx, r.rt.store.Read(), r.id)
	if err != nil {
		return err
	}
	refs, results := map[string]string{}, map[string]bool{}
	joined := r.joinedMessages()
	for _, e := range entries {
		joined = r.hearJoined(joined, e.Step-1)
		if e.Kind == transcript.Assistant {
			r.pendingCalls, r.finished, r.answer = nil, len(e.Calls) == 0, e.Text
			for _, n := range e.Calls {
				c := r.newCall(n, e.Text)
				c.resumed = true
				r.pendingCalls = append(r.pendingCalls, c)
			}
		}
		if e.Kind == transcript.Check {
			r.restated, r.firstAnswer, r.finished = true, r.answer, false
		}
		if e.Kind == transcript.Tool {
			results[e.CallID] = true
			r.callsMade++
		}
		r.steps = max(r.steps, e.Step)
		r.messages = append(r.messages, e.Message(refs))
	}
	r.hearJoined(joined, r.steps)
	r.pendingCalls = unanswered(r.pendingCalls, results)
	return nil
}

func unanswered(calls []*call, results map[string]bool) []*call {
	var open []*call
	for _, c := range calls {
		if !results[c.ID] {
			open = append(open, c)
		}
	}
	return open
}

func msToDuration(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

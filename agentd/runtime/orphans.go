package runtime

import (
	"cmp"
	"context"
	"fmt"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/runtime/transcript"
	"gatehouse/agentd/wire"
)

// endOrphanCalls ends what the gate still has open of a tree that ends. A resumed run may end before it comes back to a call
// that it had made: the approval would wait for ever, and no record would say what became of the call. What cannot be ended
// now is ended at the next start.
func (t *tree) endOrphanCalls(err error) {
	resumed := t.hasResumed()
	if err == nil && !resumed {
		return // it has the result of every call
	}
	mine := func(c gate.Call) bool { return c.RootRunID == t.root.id }
	if err := t.rt.approvals.EndLeft(context.Background(), mine); err != nil && !isShutdown(err) {
		t.rt.log.Error("calls of a run not ended", "run_id", t.root.id, "error", err)
	}
	if !resumed {
		return // every call was made in this process
	}
	if err := t.markOrphanFiles(context.Background()); err != nil {
		t.rt.log.Error("files of calls not marked", "run_id", t.root.id, "error", err)
	}
}

func (t *tree) hasResumed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.runs {
		if r.resumed {
			return true
		}
	}
	return false
}

// markOrphanFiles marks the files that calls may have written which a former process had started, and whose result no run
// has. A call of this process marks its files itself.
func (t *tree) markOrphanFiles(ctx context.Context) error {
	if err := t.events.Sync(); err != nil {
		return err
	}
	receipts, err := t.rt.receipts.OfRuns(ctx, t.ids()...)
	if err != nil {
		return fmt.Errorf("read receipts: %w", err)
	}
	for _, rc := range receipts {
		if rc.Type != "call.started" || t.rt.inFlight.find(rc.CallID) != nil {
			continue
		}
		if err := t.markFilesOf(ctx, rc); err != nil {
			return err
		}
	}
	return nil
}

// markFilesOf marks the files that a call may have written that had started, unless its run has the result.
func (t *tree) markFilesOf(ctx context.Context, started wire.Receipt) error {
	var known int
	err := t.rt.store.Read().QueryRowContext(ctx, "SELECT count(*) FROM run_entries WHERE run_id = ? AND kind = ? AND call_id = ?",
		started.RunID, transcript.Tool, started.CallID).Scan(&known)
	if err != nil {
		return fmt.Errorf("read results: %w", err)
	}
	r := t.run(started.RunID)
	made, err := t.rt.approvals.Made(ctx, started.CallID)
	if err != nil || made == nil || r == nil || known > 0 {
		return err
	}
	c := r.newCall(transcript.Call{ID: made.ID, Tool: made.Tool, Args: string(made.Args), Agent: made.Agent}, "")
	c.track(started.Time)
	r.trackFiles(c, gate.Outcome{State: wire.ToolUnknown, Tier: started.Tier, Args: made.Args, Taint: made.Taint})
	return nil
}

// run finds a run of the tree; nil when there is none.
func (t *tree) run(runID string) *run {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.runs {
		if r.id == runID {
			return r
		}
	}
	return nil
}

// endOrphanCalls ends the calls of runs that have ended, which nobody will come back to.
func (r *Runtime) endOrphanCalls(ctx context.Context) error {
	var bad error
	err := r.approvals.EndLeft(ctx, func(c gate.Call) bool {
		var ended int
		err := r.store.Read().QueryRowContext(ctx,
			"SELECT count(*) FROM runs WHERE id = ? AND state IN ('done', 'failed', 'stopped')", c.RootRunID).Scan(&ended)
		bad = cmp.Or(bad, err)
		return ended > 0
	})
	if err := cmp.Or(err, bad); err != nil {
		return fmt.Errorf("end calls of ended runs: %w", err)
	}
	return nil
}

package runtime

import (
	"cmp"
	"context"
	"fmt"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/wire"
)

// endLeft ends what the gate still has open of a tree that ends: a run that was taken up again may end before it comes
// back to a call that it had made. Its question would wait for ever, and nothing say what became of it. What cannot be ended
// now is when the process starts anew.
func (t *tree) endLeft(err error) {
	revived := t.revived()
	if err == nil && !revived {
		return // it has the result of every call
	}
	mine := func(c gate.Call) bool { return c.RootRunID == t.root.id }
	if err := t.rt.d.Approvals.EndLeft(context.Background(), mine); err != nil && !left(err) {
		t.rt.d.Log.Error("calls of a run not ended", "run_id", t.root.id, "error", err)
	}
	if !revived {
		return // every call was made in this process
	}
	if err := t.marksLeft(context.Background()); err != nil {
		t.rt.d.Log.Error("files of calls not marked", "run_id", t.root.id, "error", err)
	}
}

func (t *tree) revived() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.runs {
		if r.revived {
			return true
		}
	}
	return false
}

// marksLeft marks what calls may have written that a former process had started, and of whose end no run has heard. One
// that is on its way in this process does so itself.
func (t *tree) marksLeft(ctx context.Context) error {
	if err := t.sync(); err != nil {
		return err
	}
	receipts, err := t.rt.d.Receipts.OfRuns(ctx, t.ids()...)
	if err != nil {
		return fmt.Errorf("read receipts: %w", err)
	}
	for _, rc := range receipts {
		if rc.Type != "call.started" || t.rt.flights.find(rc.CallID) != nil {
			continue
		}
		if err := t.marksOf(ctx, rc); err != nil {
			return err
		}
	}
	return nil
}

// marksOf marks what a call that had started may have written, unless its run has the result.
func (t *tree) marksOf(ctx context.Context, started wire.Receipt) error {
	var heard int
	err := t.rt.d.Store.Read().QueryRowContext(ctx, "SELECT count(*) FROM run_entries WHERE run_id = ? AND kind = ? AND call_id = ?",
		started.RunID, kindTool, started.CallID).Scan(&heard)
	if err != nil {
		return fmt.Errorf("read results: %w", err)
	}
	r := t.find(started.RunID)
	made, err := t.rt.d.Approvals.Made(ctx, started.CallID)
	if err != nil || made == nil || r == nil || heard > 0 {
		return err
	}
	c := r.newCall(noted{ID: made.ID, Tool: made.Tool, Args: string(made.Args), Agent: made.Agent}, "")
	c.track(started.Time)
	r.trackFiles(c, gate.Outcome{State: wire.ToolUnknown, Tier: started.Tier, Args: made.Args, Taint: made.Taint})
	return nil
}

func (t *tree) find(runID string) *run {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.runs {
		if r.id == runID {
			return r
		}
	}
	return nil
}

// endLeft ends the calls of runs that have ended, which nobody will come back to.
func (r *Runtime) endLeft(ctx context.Context) error {
	var bad error
	err := r.d.Approvals.EndLeft(ctx, func(c gate.Call) bool {
		var ended int
		err := r.d.Store.Read().QueryRowContext(ctx, "SELECT count(*) FROM runs WHERE id = ? AND state IN ('done', 'failed', 'stopped')", c.RootRunID).Scan(&ended)
		bad = cmp.Or(bad, err)
		return ended > 0
	})
	if err := cmp.Or(err, bad); err != nil {
		return fmt.Errorf("end calls of ended runs: %w", err)
	}
	return nil
}

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
	if err == nil && !t.revived() {
		return // it has the result of every call
	}
	var open []gate.Call
	end := func(c gate.Call) bool {
		mine := c.RootRunID == t.root.id
		if mine {
			open = append(open, c)
		}
		return mine
	}
	if err := t.rt.d.Approvals.EndLeft(context.Background(), end); err != nil && !left(err) {
		t.rt.d.Log.Error("calls of a run not ended", "run_id", t.root.id, "error", err)
	}
	for _, c := range open {
		t.marksLeft(c)
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

// marksLeft marks what a call may have written that a former process had started. One that is on its way in this process
// does so itself.
func (t *tree) marksLeft(of gate.Call) {
	r := t.find(of.RunID)
	if r == nil || t.rt.flights.find(of.ID) != nil {
		return
	}
	c := r.newCall(noted{ID: of.ID, Tool: of.Tool, Args: string(of.Args), Agent: of.Agent}, "")
	c.revived = true
	if err := r.begin(c); err != nil {
		t.rt.d.Log.Error("files of a call not marked", "call_id", c.ID, "error", err)
		return
	}
	r.marksFiles(c, gate.Outcome{State: wire.ToolUnknown, Args: of.Args, Taint: of.Taint})
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

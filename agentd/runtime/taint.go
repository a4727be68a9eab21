package runtime

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/taint"
)

// sources are the origins of the outside content in the context of this run.
func (r *run) sources() taint.Sources {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	return slices.Clone(r.taint)
}

// addTaint adds sources to the run, and puts them on record with the next write: before the gate sees its next call.
func (r *run) addTaint(by []policy.Source) {
	r.t.mu.Lock()
	defer r.t.mu.Unlock()
	rt, now := r.rt, r.rt.now()
	for _, s := range by {
		if r.taint.Add(s) {
			r.t.events.Add(func(tx *sql.Tx) error { return taint.Record(rt.store, tx, r.id, s, now) })
		}
	}
}

// absorb takes over the taint of what a call brought in: its result, the answer of a delegated run, a file that holds
// content from outside.
func (r *run) absorb(c *call, out gate.Outcome) {
	r.addTaint(out.Taint)
	if child := c.childRun(); child != nil {
		r.addTaint(child.sources())
	}
	r.addTaint(c.read)
}

// inheritTaint takes over the taint of the earlier turns that a root run reads.
func (r *run) inheritTaint(ctx context.Context) error {
	if r.parent != nil || r.t.first {
		return nil
	}
	before, err := taint.OfSession(ctx, r.rt.store, r.t.session, r.t.seq)
	r.addTaint(before)
	return err
}

// trackFiles finds out which marked files a call has read, and marks those that it has written. The run may have been
// stopped meanwhile.
func (r *run) trackFiles(c *call, out gate.Outcome) {
	rt, files := r.rt, fileOutcome(out)
	c.read = c.files.Reads(context.WithoutCancel(r.ctx), files)
	mark := c.files.Writes(files, slices.Concat(r.sources(), out.Taint, c.read), rt.now())
	if mark == nil {
		return
	}
	if err := rt.store.Write(context.Background(), mark); err != nil {
		rt.log.Error("marked files not kept yet", "call_id", c.ID, "error", err)
		rt.events.Add(mark)
	}
}

func fileOutcome(out gate.Outcome) taint.Outcome {
	return taint.Outcome{State: out.State, Tier: policy.Tier(out.Tier), Args: out.Args, Result: out.Result}
}

// request is what the owner wrote to the root run; empty when a machine did.
func (t *tree) request() string {
	if t.sub != nil || t.origin.Report {
		return "" // its text is what an agent wrote
	}
	switch policy.OriginOf(t.origin.Channel) {
	case policy.FromPortal, policy.FromAPI:
	case policy.FromChannel:
		if !t.origin.Owner {
			return ""
		}
	default:
		return ""
	}
	return strings.Join(append([]string{t.root.text}, t.joinedTexts()...), "\n\n")
}

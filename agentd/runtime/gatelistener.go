package runtime

import (
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// OnReceipt puts a receipt that was just committed into the stream of its run.
func (r *Runtime) OnReceipt(rc wire.Receipt) {
	if t := r.tree(rc.RunID); t != nil {
		t.emitReceipt(rc)
	}
}

// ApprovalChanged puts an approval that was asked or has changed into the stream of its run. It implements
// gate.Listener.
func (r *Runtime) ApprovalChanged(a wire.Approval) {
	change := func(tx txn) error {
		return tx.exec("keep approval of call", "UPDATE run_calls SET approval_id = ?, action = ? WHERE id = ?", a.ID, a.Action, a.CallID)
	}
	t := r.tree(a.RootRunID)
	if t == nil {
		r.events.Add(r.inTx(change))
		return
	}
	t.later(change)
	t.events.Emit(wire.EventApproval, func(n int64) any { return wire.ApprovalData{N: n, Approval: a} })
}

// ToolChanged puts the state of a call into the stream of its run. It implements gate.Listener.
func (r *Runtime) ToolChanged(root, _ string, d wire.ToolData) {
	if c := r.inFlight.find(d.CallID); c != nil {
		d.Target = c.target
		if d.Child == "" {
			d.Child = c.childID()
		}
	}
	t := r.tree(root)
	switch {
	case d.State == wire.ToolRequested: // that is how the call was put on record
	case t == nil:
		r.events.Add(r.inTx(r.updateCall(d)))
	default:
		t.later(r.updateCall(d))
	}
	if t != nil {
		t.countCall(d)
		t.events.Emit(wire.EventTool, func(n int64) any { d.N = n; return d })
	}
}

// updateCall keeps where a call stands.
func (r *Runtime) updateCall(d wire.ToolData) func(txn) error {
	now := micros(r.now())
	return func(tx txn) error {
		return tx.exec("keep call", `UPDATE run_calls SET state = ?1, tier = iif(?2 = '', tier, ?2),
			summary = iif(?3 = '', summary, ?3), child = iif(?4 = '', child, ?4),
			started_at = iif(?1 = 'running' AND started_at = 0, ?5, started_at),
			ended_at = iif(?1 IN ('done', 'failed', 'denied', 'unknown', 'stopped'), ?5, ended_at) WHERE id = ?6`,
			string(d.State), d.Tier, d.Summary, d.Child, now, d.CallID)
	}
}

// countCall counts a call and keeps the highest tier, for its run and for the root, which stands for the whole tree.
func (t *tree) countCall(d wire.ToolData) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.runs {
		if r.id != d.RunID && r != t.root {
			continue
		}
		worst, total := worstTier(r.worstTier, policy.Tier(d.Tier)), r.callCount
		if d.State == wire.ToolRequested {
			total++
		}
		if worst == r.worstTier && total == r.callCount {
			continue
		}
		r.worstTier, r.callCount = worst, total
		t.later(func(tx txn) error {
			return tx.exec("keep tier", "UPDATE runs SET calls = ?, worst = ? WHERE id = ?", total, string(worst), r.id)
		})
	}
}

// worstTier is the riskier of two tiers, where no tier yet is no risk.
func worstTier(a, b policy.Tier) policy.Tier {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return policy.Worst(a, b)
}

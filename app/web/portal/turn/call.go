package turn

import "gatehouse/agentd/wire"

// call is one use of a tool, with the questions it led to and the work it handed on.
type call struct {
	id    string
	run   string
	agent string
	data  wire.ToolData
	asks  []*ask // by order of appearance: an edit whose tier rose is asked anew
	child *work

	fresh              bool // not on the page yet
	chip, asked, given bool // parts that changed since the last look
}

// ask is one approval as its server reports it, and as the hub told it when a person decided: the hub knows first, the
// server knows last.
type ask struct {
	call   *call
	server *wire.Approval
	hub    *wire.Approval
}

// now is what the page shows of a.
func (a *ask) now() wire.Approval {
	if a.hub == nil || !further(a.hub, a.server) {
		return *a.server
	}
	return withContents(*a.hub, a.server)
}

// further says whether a stands further on than b.
func further(a, b *wire.Approval) bool {
	if d := settled(a) - settled(b); d != 0 {
		return d > 0
	}
	return progress[a.Execution] > progress[b.Execution]
}

func settled(a *wire.Approval) int {
	if a.State == wire.ApprovalPending {
		return 0
	}
	return 1
}

var progress = map[wire.Execution]int{
	wire.ExecNone: 0, wire.ExecQueued: 1, wire.ExecRunning: 2, wire.ExecUnknown: 3, wire.ExecDone: 4, wire.ExecFailed: 4,
}

// withContents gives a decided approval back what the hub erased when it stored the decision.
func withContents(a wire.Approval, from *wire.Approval) wire.Approval {
	a.Args, a.Facts, a.Diff = from.Args, from.Facts, from.Diff
	a.Summary, a.Reason, a.WhyAsked = from.Summary, from.Reason, from.WhyAsked
	return a
}

// approval takes over an approval event of the run.
func (t *Turn) approval(d wire.ApprovalData) {
	t.begins()
	a := t.asks[d.ID]
	if a == nil {
		c := t.callOf(d.CallID, d.RunID, d.Agent)
		a = &ask{call: c, hub: t.told[d.ID]}
		t.asks[d.ID] = a
		c.asks = append(c.asks, a)
	}
	a.server = &d.Approval
	a.call.asked, t.dirt.head = true, true
}

// Told takes over what the hub knows of an approval, which may be a decision that the server has not applied yet. It
// never turns back what the server reports, and adds nothing that the run does not ask itself.
func (t *Turn) Told(a wire.Approval) {
	t.told[a.ID] = &a
	if known := t.asks[a.ID]; known != nil {
		known.hub = &a
		known.call.asked, t.dirt.head = true, true
	}
}

// Waiting gives the ids of the approvals of this turn that wait for a person.
func (t *Turn) Waiting() []string {
	var ids []string
	for id, a := range t.asks {
		if a.now().State == wire.ApprovalPending {
			ids = append(ids, id)
		}
	}
	return ids
}

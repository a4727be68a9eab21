package turn

import (
	"gatehouse/agentd/wire"
)

// call is one use of a tool, with the question it led to and the work it handed on.
type call struct {
	id    string
	run   string
	agent string
	data  wire.ToolData
	ask   *wire.Approval
	child *work

	fresh              bool // not on the page yet
	chip, asked, given bool // parts that changed since the last look
}

// rank orders the states of a call, so that a late or repeated event never turns a chip back.
var rank = map[wire.ToolState]int{
	wire.ToolRequested: 1, wire.ToolAsked: 2, wire.ToolRunning: 3,
	wire.ToolDone: 4, wire.ToolFailed: 4, wire.ToolDenied: 4, wire.ToolUnknown: 4, wire.ToolStopped: 4,
}

// over says whether the call has come to an end.
func (c *call) over() bool { return rank[c.data.State] == 4 }

// decided orders the states of a decision.
func decided(s wire.ApprovalState) int {
	if s == wire.ApprovalPending {
		return 0
	}
	return 1
}

var progress = map[wire.Execution]int{
	wire.ExecNone: 0, wire.ExecQueued: 1, wire.ExecRunning: 2, wire.ExecUnknown: 3, wire.ExecDone: 4, wire.ExecFailed: 4,
}

// newer says whether b tells more about an approval than a does. The hub and the server both report: the hub when a
// person decided, the server when it applied the decision.
func newer(a, b *wire.Approval) bool {
	if d := decided(b.State) - decided(a.State); d != 0 {
		return d > 0
	}
	return progress[b.Execution] >= progress[a.Execution]
}

// merge keeps of b what is further on and of a what b no longer holds: the hub erases arguments once it stored a
// decision.
func merge(a, b *wire.Approval) *wire.Approval {
	if !newer(a, b) {
		a, b = b, a
	}
	m := *b
	if len(m.Args) == 0 {
		m.Args = a.Args
	}
	if m.Summary == "" {
		m.Summary = a.Summary
	}
	if m.Reason == "" {
		m.Reason = a.Reason
	}
	if m.WhyAsked == "" {
		m.WhyAsked = a.WhyAsked
	}
	if m.Diff == nil {
		m.Diff = a.Diff
	}
	if len(m.Facts) == 0 {
		m.Facts = a.Facts
	}
	if m.DecidedBy == nil {
		m.DecidedBy = a.DecidedBy
	}
	if m.DenyReason == "" {
		m.DenyReason = a.DenyReason
	}
	return &m
}

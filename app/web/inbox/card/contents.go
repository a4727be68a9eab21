package card

import "gatehouse/agentd/wire"

// WithContents gives a decided approval back what the hub erased when it stored the decision.
func WithContents(a, from wire.Approval) wire.Approval {
	a.Args, a.Facts, a.Diff = from.Args, from.Facts, from.Diff
	a.Summary, a.Reason, a.WhyAsked, a.Edited = from.Summary, from.Reason, from.WhyAsked, from.Edited
	a.Guardian, a.Taint, a.DenyReason, a.Locales = from.Guardian, from.Taint, from.DenyReason, from.Locales
	return a
}

// Further says whether a stands further on than b, as decision or as execution.
func Further(a, b *wire.Approval) bool {
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

package approval

import (
	"slices"
	"time"

	"gatehouse/agentd/wire"
)

// follows lists the states that may follow a state. The server has the last word on a decision that it could not
// apply any more, but nothing turns a no into a yes, and nothing opens a question again. A trigger in the database
// holds the same table.
var follows = map[wire.ApprovalState][]wire.ApprovalState{
	wire.ApprovalPending: {wire.ApprovalAllowed, wire.ApprovalDenied, wire.ApprovalExpired, wire.ApprovalWithdrawn, wire.ApprovalSuperseded},
	wire.ApprovalAllowed: {wire.ApprovalExpired, wire.ApprovalWithdrawn, wire.ApprovalSuperseded, wire.ApprovalDenied},
	wire.ApprovalDenied:  {wire.ApprovalExpired, wire.ApprovalWithdrawn, wire.ApprovalSuperseded},
}

// order is how far an execution has come; it never goes back.
var order = map[wire.Execution]int{
	wire.ExecNone: 0, wire.ExecQueued: 1, wire.ExecRunning: 2, wire.ExecUnknown: 3, wire.ExecDone: 4, wire.ExecFailed: 4,
}

// Apply takes over what the server reports. What is known already changes nothing.
func (a *Item) Apply(u wire.ApprovalUpdate, now time.Time) error {
	if u.State != a.State {
		if !slices.Contains(follows[a.State], u.State) {
			return errLegal
		}
		a.enter(u, now)
	}
	if order[u.Execution] > order[a.Execution] && a.State == wire.ApprovalAllowed {
		a.Execution = u.Execution
	}
	return nil
}

// enter moves the item to the state that the server reports.
func (a *Item) enter(u wire.ApprovalUpdate, now time.Time) {
	if a.State == wire.ApprovalPending || a.DecidedBy == nil {
		by := wire.DecidedBy{Name: "server", Role: "agentd", Channel: "agentd"}
		if u.DecidedBy != nil {
			by = *u.DecidedBy
		}
		if by.Time.IsZero() {
			by.Time = now.UTC()
		}
		a.DecidedBy = &by
	}
	a.State, a.Next = u.State, u.Next
	if a.State != wire.ApprovalAllowed {
		a.Execution = wire.ExecNone
	}
	a.erase()
}

// expire ends an item that nobody answered in time.
func (a *Item) expire(now time.Time) {
	a.enter(wire.ApprovalUpdate{State: wire.ApprovalExpired}, now)
}

package approval

import (
	"slices"
	"strings"
	"time"

	"gatehouse/agentd/wire"
)

// follows lists the states that may follow a state. The server has the last word on a decision that it could not
// apply any more, but nothing turns a no into a yes, save that the owner said yes by a channel before the no came there: the
// server takes the first answer. A yes that the server did not accept was none: then the question is open again. A trigger in
// the database holds the same table.
var follows = map[wire.ApprovalState][]wire.ApprovalState{
	wire.ApprovalPending: {wire.ApprovalAllowed, wire.ApprovalDenied, wire.ApprovalExpired, wire.ApprovalWithdrawn, wire.ApprovalSuperseded},
	wire.ApprovalAllowed: {wire.ApprovalPending, wire.ApprovalExpired, wire.ApprovalWithdrawn, wire.ApprovalSuperseded, wire.ApprovalDenied},
	wire.ApprovalDenied:  {wire.ApprovalAllowed, wire.ApprovalExpired, wire.ApprovalWithdrawn, wire.ApprovalSuperseded},
}

// order is how far an execution has come; it never goes back.
var order = map[wire.Execution]int{
	wire.ExecNone: 0, wire.ExecQueued: 1, wire.ExecRunning: 2, wire.ExecUnknown: 3, wire.ExecDone: 4, wire.ExecFailed: 4,
}

// Apply takes over what the server reports. What is known already changes nothing.
func (a *Item) Apply(u wire.ApprovalUpdate, now time.Time) error {
	if u.State == wire.ApprovalPending {
		return a.reopen(u)
	}
	switch {
	case u.State == a.State && byChannel(u) && !a.paired():
		a.enter(u, now) // both said the same, and the server took the channel's word
	case u.State != a.State:
		yes := a.State == wire.ApprovalDenied && u.State == wire.ApprovalAllowed
		if !slices.Contains(follows[a.State], u.State) || yes && !byChannel(u) {
			return errLegal
		}
		a.enter(u, now)
	}
	if order[u.Execution] > order[a.Execution] && a.State == wire.ApprovalAllowed {
		a.Execution = u.Execution
	}
	return nil
}

// paired says whether the decision that is stored came by a messaging channel.
func (a *Item) paired() bool {
	return a.DecidedBy != nil && a.DecidedBy.Method == wire.PairedIdentity
}

// byChannel says whether the server reports what the owner has decided by a messaging channel.
func byChannel(u wire.ApprovalUpdate) bool {
	return u.DecidedBy != nil && u.DecidedBy.Method == wire.PairedIdentity
}

// reopen takes back a decision that the server did not accept. The server sends once more what it asks: it must be
// the same question, and nothing of it may have been carried out.
func (a *Item) reopen(u wire.ApprovalUpdate) error {
	switch {
	case u.Again == nil || u.Again.ID != a.ID || u.Again.Digest != a.Digest || wire.DigestOf(*u.Again) != a.Digest:
		return errLegal
	case a.State != wire.ApprovalPending && a.State != wire.ApprovalAllowed, order[a.Execution] > order[wire.ExecQueued]:
		return errLegal
	}
	a.Refused = clip(u.Note)
	if a.State == wire.ApprovalPending {
		return nil
	}
	q := u.Again
	a.State, a.Execution, a.DecidedBy, a.Verb, a.Minutes = wire.ApprovalPending, wire.ExecNone, nil, "", 0
	a.Summary, a.Args, a.Facts, a.Reason, a.WhyAsked, a.Diff = q.Summary, q.Args, q.Facts, q.Reason, q.WhyAsked, q.Diff
	a.ShownHash, a.RulesVersion, a.Taint, a.Guardian, a.Destination, a.Rule = q.ShownHash, q.RulesVersion, q.Taint, q.Guardian, q.Destination, q.Rule
	a.Vouched, a.Locales, a.Typed = q.Vouched, q.Locales, q.Typed
	return nil
}

// clip bounds what a server says about a question.
func clip(s string) string {
	const longest = 300
	if len(s) <= longest {
		return s
	}
	return strings.ToValidUTF8(s[:longest], "")
}

// enter moves the item to the state that the server reports.
func (a *Item) enter(u wire.ApprovalUpdate, now time.Time) {
	first := byChannel(u) && (u.State == wire.ApprovalAllowed || u.State == wire.ApprovalDenied)
	if first {
		a.Verb, a.Minutes = "", 0
	}
	if a.State == wire.ApprovalPending || a.DecidedBy == nil || first {
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

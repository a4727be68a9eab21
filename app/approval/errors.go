package approval

import (
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
)

// What can be wrong with an answer.
var (
	ErrDecided = fault.New(fault.Conflict, "approval-decided", "approval is decided already",
		"This was already decided. Your answer was not used.")
	ErrExpired = fault.New(fault.Conflict, "approval-expired", "approval ran out of time",
		"The time for this request is over. Nothing was done. Ask the agent to request it again.")
	ErrChanged = fault.New(fault.Conflict, "approval-changed", "digest differs from what the person saw",
		"This request has changed since you opened the page. Nothing was decided. Reload the page and look again.")
	ErrStaffAllow = fault.New(fault.Forbidden, "signature-required", "staff tried to allow without the owner's key",
		"Staff can deny. To allow, the owner must first let a device of theirs approve. Nothing was decided.")
	ErrStaffOnce = fault.New(fault.Forbidden, "staff-once", "staff answered with more than a single leave",
		"Staff can only deny or allow this one request, without changes, rules or a longer time. Nothing was decided.")
	ErrMemberOnce = fault.New(fault.Forbidden, "member-once", "member answered with more than a single leave",
		"As a member you can only deny or allow this one request, without changes, rules or a longer time. Nothing was decided.")
	ErrNotAPerson = fault.New(fault.Forbidden, "not-a-person", "decision by neither a person of the customer nor staff",
		"Only someone from this business who is signed in can decide. Nothing was decided.")
	errOther  = fault.New(fault.Forbidden, "other-server", "server names an approval of another server", "This belongs to another server.")
	errForm   = fault.New(fault.Invalid, "approval-form", "approval from server does not fit", "The request from the server could not be read.")
	errLegal  = fault.New(fault.Conflict, "approval-state", "server reports a state that cannot follow", "The request cannot change in this way.")
	errLater  = fault.New(fault.Conflict, "approval-known", "approval is known with another digest", "This request is already known, with different details.")
	errStaged = fault.New(fault.Invalid, "approval-digest", "digest of approval does not match its fields", "The details of the request from the server do not fit together.")
)

// DecidedError is ErrDecided with the decision that came first; its JSON goes into the answer to API clients.
type DecidedError struct {
	Decision wire.Verb          `json:"decision"` // empty when no person decided
	By       string             `json:"by"`
	Time     time.Time          `json:"time"`
	State    wire.ApprovalState `json:"state"`
}

func (e *DecidedError) Error() string { return ErrDecided.Log + ": " + string(e.State) }

// Unwrap makes it an ErrDecided.
func (e *DecidedError) Unwrap() error { return ErrDecided }

// decided is what later answers are told.
func (a *Item) decided() error {
	e := &DecidedError{Decision: a.Verb, State: a.State}
	if a.DecidedBy != nil {
		e.By, e.Time = a.DecidedBy.Name, a.DecidedBy.Time
	}
	return e
}

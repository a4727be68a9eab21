package approval

import (
	"encoding/json"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/staff"
)

// Item is an approval as the hub keeps it. While it is pending it holds what the server asks; the decision takes
// the contents away.
type Item struct {
	wire.Approval
	CustomerID account.CustomerID `json:"-"`
	Customer   string             `json:"-"`                 // name of the business, in what staff see
	Verb       wire.Verb          `json:"decision"`          // what a person answered; empty otherwise
	Minutes    int                `json:"minutes,omitempty"` // of the window that a person opened
	Refused    string             `json:"refused,omitempty"` // pending only: why the server did not take the last answer
}

// Answer is what a person says to an approval.
type Answer struct {
	Verb    wire.Verb
	Minutes int             // allow_window only
	Scope   json.RawMessage // allow_window and allow_rule: what it holds for
	Args    json.RawMessage // edit only: the whole new arguments
	Reason  string          // for the agent
	Digest  string          // of what the person saw; empty is not compared
	By      wire.DecidedBy  // who says it and where; the time is set here

	Staff staff.Role // of one of us who answers; empty for customers

	Signature *wire.Signature // on everything but a deny
}

// Open says whether the item still waits for a person at that time.
func (a *Item) Open(now time.Time) bool {
	return a.State == wire.ApprovalPending && now.Before(a.ExpiresAt)
}

// Decide records an answer and gives the decision for the server. On an error the item is unchanged.
func (a *Item) Decide(ans Answer, now time.Time) (wire.Decision, error) {
	if err := a.check(ans, now); err != nil {
		return wire.Decision{}, err
	}
	by := ans.By
	by.Time = now.UTC()
	d := wire.Decision{
		ApprovalID: a.ID, Digest: a.Digest, Verb: ans.Verb, Minutes: ans.Minutes, Scope: ans.Scope, Args: ans.Args, Reason: ans.Reason, By: by,
		Signature: ans.Signature,
	}
	a.State, a.Execution = wire.ApprovalAllowed, wire.ExecQueued
	if ans.Verb == wire.Deny {
		a.State, a.Execution = wire.ApprovalDenied, wire.ExecNone
		d.Signature = nil // nobody looked at it, and the record would say that a key was used
	}
	a.DecidedBy, a.Verb, a.Minutes, a.Refused = &by, ans.Verb, ans.Minutes, ""
	a.erase()
	return d, nil
}

// check says why an answer cannot be taken, if it cannot.
func (a *Item) check(ans Answer, now time.Time) error {
	switch {
	case a.State == wire.ApprovalExpired:
		return ErrExpired
	case a.State != wire.ApprovalPending:
		return a.decided()
	case !now.Before(a.ExpiresAt):
		return ErrExpired
	case ans.Digest != "" && ans.Digest != a.Digest:
		return ErrChanged
	}
	if err := mayAnswer(ans); err != nil {
		return err
	}
	return fits(a, ans)
}

// erase removes everything that shows what was asked. Server, agent, tool, tier and hashes stay.
func (a *Item) erase() {
	a.Summary, a.Args, a.Facts, a.Reason, a.WhyAsked, a.Diff = "", nil, nil, "", "", nil
	a.Typed = nil
}

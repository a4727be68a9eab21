package signin

import (
	"time"

	"gatehouse/app/fault"
)

// Kind says what a sign-in opens. Each kind has a cookie of its own and is never taken for another.
type Kind string

// The kinds of sign-ins.
const (
	Customer Kind = "customer" // a person of a customer: the portal
	Staff    Kind = "staff"    // one of our staff, both factors given: the console
	Pending  Kind = "pending"  // one of our staff who gave the password alone: the second step and nothing else

	CustomerPending Kind = "customer_pending" // a person of a customer before the second step: that step and nothing else
)

// How long sign-ins live.
const (
	CustomerLife = 30 * 24 * time.Hour
	StaffLife    = 12 * time.Hour
	StaffIdle    = 30 * time.Minute
	PendingLife  = 10 * time.Minute
	FreshFor     = 10 * time.Minute // the one constant for acts that ask for a fresh sign-in
)

// ErrNone means that a request carries no sign-in that holds: none, unknown, ended, or too old.
var ErrNone = fault.New(fault.Unauthorized, "sign-in-needed", "no valid sign-in", "Please sign in to go on.")

// ErrNotFresh asks for the password once more before a risky act.
var ErrNotFresh = fault.New(fault.Forbidden, "sign-in-again", "sign-in is not fresh",
	"This needs a sign-in from the last ten minutes. Nothing was changed. Sign in again, then repeat it.")

// Subject is who signs in. Customers have CustomerID and UserID, staff have StaffID.
type Subject struct {
	CustomerID string
	UserID     string
	StaffID    string
}

// Signin is one browser's login. The secret in the cookie is not part of it: only its hash is stored, by the Store.
type Signin struct {
	Subject
	ID        string
	Kind      Kind
	CreatedAt time.Time // UTC
	SeenAt    time.Time // UTC, exact to SeenStep
	FreshAt   time.Time // UTC; when the person last proved who they are
	ExpiresAt time.Time // UTC; the absolute end
	Address   string    // network address of the sign-in, shown in the list of sign-ins
	Browser   string    // the browser's name for itself, cut to 200 bytes
}

// SeenStep is how exact SeenAt is kept, so that not every request writes.
const SeenStep = time.Minute

// Live says whether s still opens anything at now.
func (s Signin) Live(now time.Time) bool {
	if !now.Before(s.ExpiresAt) {
		return false
	}
	return s.Kind != Staff || now.Before(s.SeenAt.Add(StaffIdle))
}

// Fresh says whether the person proved who they are within FreshFor.
func (s Signin) Fresh(now time.Time) bool {
	return now.Before(s.FreshAt.Add(FreshFor))
}

// Stale says whether SeenAt should be written anew.
func (s Signin) Stale(now time.Time) bool {
	return !now.Before(s.SeenAt.Add(SeenStep))
}

// lifeOf is the absolute life of a kind.
func lifeOf(k Kind) time.Duration {
	switch k {
	case Staff:
		return StaffLife
	case Pending, CustomerPending:
		return PendingLife
	default:
		return CustomerLife
	}
}

package audit

import "time"

// Kind says what sort of actor did something.
type Kind string

// The kinds of actors.
const (
	User   Kind = "user"   // a person of a customer
	Staff  Kind = "staff"  // one of us
	System Kind = "system" // the hub itself, or somebody at its command line
)

// Actor is who did something, and from where.
type Actor struct {
	Kind    Kind
	ID      string // user or staff id; empty for the system
	Name    string // e-mail address, as pages show it
	Role    string // of one of us at that time; empty for others
	Address string // network address; empty for the system
}

// Itself is the hub as an actor.
var Itself = Actor{Kind: System, Name: "gatehouse"}

// Entry is one record.
type Entry struct {
	ID         string // UUIDv7
	At         time.Time
	By         Actor
	CustomerID string            // whose data was changed; empty when nobody's
	Action     string            // noun.verb: "order.cancel"
	Target     string            // id of what was changed
	Details    map[string]string // ids, states, names of fields; no contents
}

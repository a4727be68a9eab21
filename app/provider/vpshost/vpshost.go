package vpshost

import (
	"context"
	"net/netip"
	"time"
)

// Spec is the machine that is wanted for a server.
type Spec struct {
	ServerID string // names the machine in every later call, and keeps a repeat from making a second one
	Slug     string // its name in addresses
	Plan     string
	Region   string
}

// Setup is what a machine is set up with.
type Setup struct {
	ServerID string
	Token    string                // agentd's right to register; empty when it has registered
	Name     string                // under which the server is reached; empty: none
	AdminKey string                // the owner's own SSH key, as in authorized_keys; empty: nobody signs in
	Seed     string                // the owner's first key for agentd's very first start (wire.Seed as JSON); empty: none
	Say      func(lines ...string) // takes lines for the live log; never nil
}

// Host is a place where servers run. Every method may be repeated: what is done already is not done again.
type Host interface {
	// Name says which kind of place it is, for rows: "local".
	Name() string
	// Allocate gets a machine for the server.
	Allocate(ctx context.Context, s Spec) error
	// Install sets the machine up, puts agentd on it and starts it.
	Install(ctx context.Context, s Setup) error
	// Finish ends a set-up, once the server has opened its link: whatever the set-up alone needed goes, the hub's own way in
	// included.
	Finish(ctx context.Context, s Setup) error
	// LastLog gives the last lines that agentd wrote, at most n.
	LastLog(ctx context.Context, serverID string, n int) ([]string, error)
	// Release gives back a machine on which nothing was started yet.
	Release(ctx context.Context, serverID string) error
	// Retire gives back a machine on which something was started, when nobody wants it any more: what runs there ends, as far as
	// the place can end it, and no other server gets the machine before it was wiped.
	Retire(ctx context.Context, serverID string) error
}

// Addressed is a Host that knows at which addresses its machines are reached. The names of its servers can lead there.
type Addressed interface {
	// Addresses lists the addresses of a server's machine, IPv4 first.
	Addresses(ctx context.Context, serverID string) ([]netip.Addr, error)
}

// Named is a Host that can have a machine's address lead back to the server's name, where other mail servers look.
type Named interface {
	// SetName does so. It may be repeated.
	SetName(ctx context.Context, serverID, name string) error
}

// Wiping is the end of a server whose machine may be wiped before it is given back.
type Wiping struct {
	ServerID string
	Ended    time.Time // when its order ended: what our staff wanted before counts no more
	Say      func(lines ...string)
}

// Wiper is a Host whose machines can wipe themselves, as long as their server has its link: before it is cut off from the hub.
type Wiper interface {
	// Wipe brings a wipe that our staff have confirmed a step further, and says after how long to come again. Zero says that it has
	// ended, well or not, or that nobody wants one: Retire knows which.
	Wipe(ctx context.Context, w Wiping) (time.Duration, error)
}

// RefusedError says that a place will not do something, however often it is asked.
type RefusedError struct{ Reason string } // for people

func (e *RefusedError) Error() string { return e.Reason }

// AwayError says that a machine did not answer. Another try may do; where none does, people read why.
type AwayError struct {
	Reason string // for people
	Err    error
}

func (e *AwayError) Error() string { return e.Err.Error() }
func (e *AwayError) Unwrap() error { return e.Err }

// Excuse is the reason, for who knows an error by what it says alone.
func (e *AwayError) Excuse() string { return e.Reason }

// Refusal is the reason, for who knows a refusal by what it says alone.
func (e *RefusedError) Refusal() string { return e.Reason }

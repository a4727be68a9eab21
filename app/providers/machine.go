package providers

import (
	"context"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
)

// State says whether an order may take an adopted machine.
type State string

// The states of an adopted machine. They stand in rows: never rename.
const (
	Free       State = "free"
	Held       State = "held"        // kept back by our staff
	Taken      State = "taken"       // a customer's server
	Wiping     State = "wiping"      // it was a customer's: a new system is put on it before it is free again
	NeedsHands State = "needs_hands" // the provider could not wipe it: somebody has to look at it there
)

// Machine is a machine in the account at netcup that our staff adopted: the hub may put a new system on it.
type Machine struct {
	ID        int64  // netcup's own number of it
	Name      string // netcup's own name, such as v2202601234567
	Product   string // what was ordered there, such as RS 1000 G12
	Region    string // eu, na
	Plan      string // orders of this plan alone get it; empty: any
	Address   string // IPv4
	Port      int    // where its SSH server listens now
	HostKey   string // the key that it is known by, as in authorized_keys; empty until an order took it
	State     State
	ServerID  string // Taken: whose it is
	Marked    bool   // Mark was taken
	Mark      string // where netcup's record of the machine stood before a new system was asked for
	Task      string // what netcup calls that work; empty: nothing was begun, as far as the hub knows
	Problem   string // why the last wipe or look failed, in words; empty when it did not
	AdoptedAt time.Time
	Since     time.Time // when it came into its state
}

// Move brings the machine into a state in which nothing is begun on it.
func (m *Machine) Move(to State, now time.Time) {
	m.State, m.Since, m.Marked, m.Mark, m.Task = to, now.UTC(), false, "", ""
	if to != Taken {
		m.ServerID, m.HostKey, m.Port = "", "", sshPort
	}
}

const sshPort = 22

// Refusals.
var (
	ErrNoMachine = fault.New(fault.NotFound, "no-adopted-machine", "no such adopted machine",
		"There is no such machine here. Somebody may have given it up.")
	ErrAdopted = fault.New(fault.Conflict, "machine-adopted", "machine is adopted", "This machine is adopted already.")
	ErrTaken   = fault.New(fault.Conflict, "machine-taken", "machine belongs to a customer",
		"This machine is a customer's server now. Nothing was changed.")
	ErrState = fault.New(fault.Conflict, "machine-state", "machine left that state",
		"The machine changed meanwhile. Nothing was changed. Look at it again.")
)

// MachineStore keeps the adopted machines; db.Adopted does. What changes something records who did it, in the same transaction.
type MachineStore interface {
	// Adopt adds a machine. One that is there is ErrAdopted.
	Adopt(ctx context.Context, m Machine, e audit.Entry) error
	// List gives all machines, by name.
	List(ctx context.Context) ([]Machine, error)
	// OfServer finds the machine of a server, or answers ErrNoMachine.
	OfServer(ctx context.Context, serverID string) (Machine, error)
	// Change locks a machine, runs fn on it and saves it with the record that fn gave, if any.
	Change(ctx context.Context, id int64, fn func(ctx context.Context, m *Machine) (*audit.Entry, error)) (Machine, error)
	// Take gives a free machine of the region to the server: one for its plan alone, or else one for any, the one that waits longest.
	// A server that has one gets the same again. Without a free one it answers ErrNoMachine.
	Take(ctx context.Context, serverID, region, plan string, now time.Time) (Machine, error)
	// Forget takes a machine off the list, unless it is a customer's.
	Forget(ctx context.Context, id int64, e audit.Entry) error
}

package pool

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net"
	"strconv"
	"strings"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
)

// ID names a machine, UUIDv7.
type ID string

// State says whether an order may take a machine.
type State string

// The states of a machine.
const (
	Free       State = "free"
	Held       State = "held"        // kept back by our staff
	Taken      State = "taken"       // a customer's server
	NeedsHands State = "needs_hands" // it was a customer's: somebody has to install it anew before it is free again
)

// States lists the states in the order in which pages offer them.
func States() []State { return []State{Free, Held, Taken, NeedsHands} }

// Machine is a machine of our own.
type Machine struct {
	ID        ID
	Name      string // for people
	Address   string // host name or IP address
	Port      int    // where its SSH server listens now
	Login     string // user to sign in as: root, or one who may use sudo without a password
	Region    string // eu, na
	HostKey   string // the key that it is known by, as in authorized_keys; empty until it was met
	State     State
	ServerID  string // Taken and NeedsHands: whose it is or was
	System    string // what was found at the last look, in words; empty before
	Problem   string // why the last look failed, in words; empty when it did not
	CheckedAt time.Time
	CreatedAt time.Time

	EndedAt     time.Time // Taken: when the order of its server ended; zero while it goes on. Not kept with the machine
	WipeBy      string    // Taken: who of our staff wants it wiped when its server is released; empty: nobody
	WipeAskedAt time.Time
	WipeBegunAt time.Time // when the command was first sent
	WipedAt     time.Time // when nothing was left; kept until somebody has looked at the machine
}

// Where is the machine's address, with its port where that is not 22.
func (m Machine) Where() string {
	if m.Port == 22 {
		return m.Address
	}
	return net.JoinHostPort(m.Address, strconv.Itoa(m.Port))
}

// Fingerprint is what people compare of the host key, as ssh-keygen -l writes it: SHA256 of the key; empty until it was met.
func (m Machine) Fingerprint() string {
	_, encoded, found := strings.Cut(m.HostKey, " ")
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if !found || err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// New is a machine to be added.
type New struct {
	Name, Address, Port, Login, Region, HostKey string // as typed; HostKey may be empty, Port and Login too
}

// Facts is what a look at a machine finds.
type Facts struct {
	HostKey string
	System  string // in words: "Debian 12, 2 processors, 4 GB, 38 GB free"
}

// Refusals.
var (
	ErrNone = fault.New(fault.NotFound, "no-machine", "no such machine in the pool",
		"There is no such machine. Somebody may have removed it.")
	ErrKnown = fault.New(fault.Conflict, "machine-known", "address is in the pool", "A machine with this address is in the pool already.")
	ErrTaken = fault.New(fault.Conflict, "machine-taken", "machine belongs to a customer",
		"This machine is a customer's server now. Nothing was changed.")
	ErrState = fault.New(fault.Conflict, "machine-state", "machine left that state",
		"The machine changed meanwhile. Nothing was changed. Look at it again.")
)

// Store is what Service needs; db.Pool has it. What changes something records who did it, in the same transaction.
type Store interface {
	// Add adds a machine. An address that is in the pool is ErrKnown.
	Add(ctx context.Context, m Machine, e audit.Entry) error
	// Get finds a machine, or answers ErrNone.
	Get(ctx context.Context, id ID) (Machine, error)
	// List gives all machines, by name.
	List(ctx context.Context) ([]Machine, error)
	// Change locks a machine, runs fn on it and saves it with the record that fn gave, if any.
	Change(ctx context.Context, id ID, fn func(*Machine) (*audit.Entry, error)) (Machine, error)
	// Remove takes a machine off the list.
	Remove(ctx context.Context, id ID, e audit.Entry) error
	// Take gives a free machine of the region to the server, the one that waits longest; a server that has one gets the same
	// again. Without a free one it answers ErrNone.
	Take(ctx context.Context, serverID, region string) (Machine, error)
	// OfServer finds the machine of a server, or answers ErrNone.
	OfServer(ctx context.Context, serverID string) (Machine, error)
}

// Looker looks at machines; setup.Looker is one.
type Looker interface {
	// Look signs in and looks around, without changing anything. Its error reads in words for people.
	Look(ctx context.Context, m Machine) (Facts, error)
	// PublicKey is the hub's key that a machine must accept, as in authorized_keys.
	PublicKey(ctx context.Context) (string, error)
}

// Service is what pages, the API and the provider do with the pool.
type Service struct {
	Store  Store
	Looker Looker
	Codes  staff.Confirmer // checks the codes with which our staff confirm that a machine goes
	Now    func() time.Time
}

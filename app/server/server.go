package server

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/staff"
)

// ID names a server.
type ID string

// Server is the customer's machine as the hub knows it.
type Server struct {
	ID            ID
	CustomerID    account.CustomerID
	CustomerName  string // where servers are listed for our staff; else empty
	OrderID       string
	Slug          string // its name in addresses: <slug>.localhost
	Provider      string // local, …
	State         State
	PublicKey     string // Ed25519, base64url; empty until registered
	KeyID         string // wire.KeyID of PublicKey
	SealKey       string // X25519, base64url; empty until registered
	AgentdVersion string
	Beat          *wire.Heartbeat // the last heartbeat; nil before the first
	BeatAt        time.Time       // when it came, by the hub's clock; zero before the first
	RegisteredAt  time.Time       // zero until then
	RevokedAt     time.Time       // zero unless cut off
	CreatedAt     time.Time
	LinkKey       string    // Ed25519, base64url: opens the link since the server renewed its key; empty: PublicKey does
	LinkKeyAt     time.Time // when it came; zero likewise
}

// Opens is the key that opens the server's link.
func (s Server) Opens() string { return cmp.Or(s.LinkKey, s.PublicKey) }

// OpensSince is when that key came.
func (s Server) OpensSince() time.Time {
	if s.LinkKeyAt.IsZero() {
		return s.RegisteredAt
	}
	return s.LinkKeyAt
}

// Registered says whether the server has keys and may open a link.
func (s Server) Registered() bool { return !s.RegisteredAt.IsZero() && s.RevokedAt.IsZero() }

// Token is a one-time right to register, kept by its hash.
type Token struct {
	Hash      []byte // SHA-256 of the secret
	ServerID  ID
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Keys is what a server brings to its registration.
type Keys struct {
	Public        string
	KeyID         string
	Seal          string
	AgentdVersion string
	Address       string // network address it came from
}

// Errors of registration and lookup.
var (
	ErrToken   = fault.New(fault.Conflict, "token-used", "registration token used, expired or unknown", "This registration token was used already or has expired. Start the server's installation again to get a new one.")
	ErrRevoked = fault.New(fault.Forbidden, "server-revoked", "server is cut off", "This server was blocked.")
	ErrOneOnly = fault.New(fault.Conflict, "one-server", "customer has a server", "Your business already has a server.")
)

// Held narrows a list to the servers whose log of receipts does not continue from what it was. It is no state of a server.
const Held State = "held"

// Filter chooses servers of a list. What is empty chooses all.
type Filter struct{ State State }

// ErrState says that servers were asked for in a state that there is not.
var ErrState = fault.New(fault.Invalid, "state", "unknown state of a server", "There is no such state. Choose one from the list.")

// Store is what Service needs; db.Servers has it.
type Store interface {
	// Create adds a server; adding the server of the same order again changes nothing.
	Create(ctx context.Context, s Server) error
	// MoveTo changes the provider of a server that never registered.
	MoveTo(ctx context.Context, id ID, provider string) error
	// Get finds a server of that customer.
	Get(ctx context.Context, of account.CustomerID, id ID) (Server, error)
	// Of finds the customer's server.
	Of(ctx context.Context, of account.CustomerID) (Server, error)
	// Find finds a server whoever has it: for the link, jobs and staff.
	Find(ctx context.Context, id ID) (Server, error)
	// List gives the servers that f leaves, newest first: staff only.
	List(ctx context.Context, f Filter, ask page.Ask) (page.Of[Server], error)
	// Counts says how many servers are in each state.
	Counts(ctx context.Context) (map[State]int, error)
	// SetToken makes t the one registration token of its server.
	SetToken(ctx context.Context, t Token) error
	// Register uses the token up and stores the keys, both or neither. The same keys with the same token again are
	// answered like the first time; anything else is ErrToken.
	Register(ctx context.Context, hash []byte, k Keys, now time.Time) (Server, error)
	// Beat stores a heartbeat and sets the state, and returns the state before.
	Beat(ctx context.Context, id ID, b wire.Heartbeat, now time.Time) (was Server, err error)
	// Quiet lists servers in state online or degraded whose last heartbeat came before.
	Quiet(ctx context.Context, before time.Time) ([]Server, error)
	// SetState moves a server from one state to another, unless a heartbeat came after seen; false then.
	SetState(ctx context.Context, id ID, from, to State, seen time.Time) (bool, error)
	// OfOrder finds the server that an order led to.
	OfOrder(ctx context.Context, orderID string) (Server, error)
	// Remove forgets a server that never registered and whose order was cancelled; a repeat is no error.
	Remove(ctx context.Context, of account.CustomerID, id ID) error
	// SetLinkKey makes next the key that opens the link of a server, if old still is, and records e; false otherwise.
	SetLinkKey(ctx context.Context, id ID, old, next string, now time.Time, e audit.Entry) (bool, error)
	// OldLinkKeys lists servers that are online with a key from before, which were not asked for a new one since tried, and
	// notes that they are asked now.
	OldLinkKeys(ctx context.Context, before, tried, now time.Time, limit int) ([]Server, error)
	// Revoke cuts a server off for good and records who did it.
	Revoke(ctx context.Context, of account.CustomerID, id ID, now time.Time, e audit.Entry) error
}

// ConfigSource gives the configuration that a new server starts with; app/team is one.
type ConfigSource interface {
	Current(ctx context.Context, of account.CustomerID) (wire.Config, error)
}

// Notifier tells open pages that a server changed.
type Notifier interface {
	ServerChanged(ctx context.Context, of account.CustomerID, id ID)
}

// Live reaches servers over their links; relay.Relay does.
type Live interface {
	Caller
	// Cut ends every connection of a server that has been revoked.
	Cut(serverID string) error
}

// Service is what the hub does with servers.
type Service struct {
	Store   Store
	Configs ConfigSource
	Notify  Notifier
	Origin  string // the hub's public origin: part of every link signature
	LinkURL string // where servers open their link: ws:// or wss://

	Histories Histories
	Live      Live              // asks servers, and ends links
	Command   ed25519.PublicKey // signs commands; servers pin it
	Codes     staff.Confirmer   // checks the codes with which our staff confirm that a server is cut off
	Rules     Rules             // what our staff may change
	Now       func() time.Time
}

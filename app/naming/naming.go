package naming

import (
	"context"
	"log/slog"
	"net/netip"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/dns"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/provider/dnshost"
)

// Providers besides those of dnshost.
const (
	Loopback = "loopback" // names below localhost, which need no records
	Manual   = "manual"   // a person enters the records
)

// Problem is why nothing could be made or asked.
type Problem string

// The problems besides the kinds of dnshost.Error.
const Resolver Problem = "resolver" // the hub's resolver does not answer

// Name is what is known of the name of an order's server.
type Name struct {
	OrderID   order.ID
	Host      string
	Provider  string // who makes the records: Loopback, Manual, or the name of a provider
	Addresses []netip.Addr
	Since     time.Time // when this waiting began; zero when it has ended
	Looks     int       // that the hub made by itself since then
	LookedAt  time.Time
	NextAt    time.Time // when it looks again by itself; zero: it does not
	Problem   Problem
	Detail    string
	Report    *dns.Report // of the last look that got through
}

// Want lists the records that the name needs.
func (n Name) Want() []dns.Record { return dns.Wanted(n.Host, n.Addresses) }

// Right says whether the last look found nothing wrong.
func (n Name) Right() bool { return n.Problem == "" && n.Report != nil && n.Report.Right }

// State is what a page shows of the name of an order's server.
type State struct {
	Name
	Own       bool // it is the customer's own domain
	Renamable bool
	Waits     bool // the order waits for the name, or failed there
}

// Store keeps names; db.Names does.
type Store interface {
	// Get finds what is known of an order's name; nothing yet is the zero Name.
	Get(ctx context.Context, id order.ID) (Name, error)
	// Save keeps all of it.
	Save(ctx context.Context, n Name) error
	// Seen keeps what a look found between those that the hub does by itself, if the name is still the same.
	Seen(ctx context.Context, n Name) error
}

// Orders is what names need of orders; order.Service has it.
type Orders interface {
	Get(ctx context.Context, of account.CustomerID, id order.ID) (order.Order, error)
	Host(o order.Order) string
	GoOn(ctx context.Context, of account.CustomerID, id order.ID, by audit.Actor) (order.Order, error)
	Log(ctx context.Context, o order.Order, lines ...string) error
}

// Records makes records and takes them away again; dnshost.Host does.
type Records interface {
	Ensure(ctx context.Context, orderID, host string, want []dns.Record) (made []dns.Record, err error)
	Release(ctx context.Context, orderID string) error
}

var _ Records = (*dnshost.Host)(nil)

// Lookout asks name servers; dnslook.Lookout does.
type Lookout interface {
	Look(ctx context.Context, host string, apps []string) (dns.Seen, error)
}

// Recorder keeps the record of changes; db.Trail does.
type Recorder interface {
	Add(ctx context.Context, e audit.Entry) error
}

// Service gives names.
type Service struct {
	Orders   Orders
	Store    Store
	Provider string  // who makes the records of names under ours
	Records  Records // nil where nobody but a person can
	Lookout  Lookout
	Issuer   string // who issues the servers' certificates, as CAA records name it
	Record   Recorder
	Notify   order.Notifier
	GiveUp   time.Duration // after which a name that is not right fails its order
	Rules    Rules         // what our staff may change
	Now      func() time.Time
	Log      *slog.Logger
}

// Refusals.
var (
	ErrEarly = fault.New(fault.Conflict, "name-early", "name of an order without a server",
		"There is nothing to check yet: no server is reserved for this order. Nothing was changed.")
	ErrSoon = fault.New(fault.TooMany, "name-soon", "look at a name within seconds of the last",
		"The name servers were asked a moment ago. What they said is shown below. Try again in a few seconds.")
	ErrByHand = fault.New(fault.Conflict, "name-by-hand", "records of a name that a person enters",
		"Nobody but its owner can make the records of this name. The page of the order shows what to enter. Nothing was changed.")
)

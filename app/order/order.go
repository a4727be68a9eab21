package order

import (
	"context"
	"slices"
	"strconv"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/dns"
	"gatehouse/app/page"
	"gatehouse/app/pricing"
	"gatehouse/app/staff"
	"gatehouse/app/work"
)

// ID names an order.
type ID string

// Mode says who takes an order from step to step.
type Mode string

// The modes.
const (
	Auto   Mode = "AUTO"   // each step queues the next
	Manual Mode = "MANUAL" // staff press each step
)

// Region is where the server stands.
type Region string

// The regions.
const (
	EU Region = "eu"
	NA Region = "na"
)

// Order is one customer's wish for a server, paid.
type Order struct {
	ID           ID
	Number       int64 // for people: "order 1007"
	CustomerID   account.CustomerID
	CustomerName string // where an order is read for our staff; else empty
	OrderedBy    account.UserID
	Plan         pricing.PlanID
	Price        pricing.Cents // a month, as it was when ordered
	Currency     string
	PaidBy       string // how it was paid: "test" is the built-in checkout, which takes no money
	Region       Region
	Provider     string // where the server is set up, when our staff chose that; empty: where the hub sets servers up
	BusinessType string // what the customer told at checkout; may be empty
	Slug         string // name of the server in addresses
	Domain       string // the customer's own, under which the server is reached; empty: a name under ours
	ApproverKey  string // public half of the key of the browser that ordered (SPKI, base64url); empty when it made none
	Passkey      string // id of the credential, when that key is a passkey (base64url); empty: the browser keeps it itself
	ApproverBox  string // the key to which that browser gets the recovery code (wire.BoxKey, JSON); empty when it made none
	AdminKey     string // the owner's own SSH key, as in authorized_keys without a comment; empty: nobody signs in to the machine
	Mode         Mode
	State        State
	FailedStep   State  // FAILED only: the state in which it failed
	Reason       string // FAILED only: why, in words for people
	Attempt      int    // how often a step was asked for by a person; part of the key of its job
	ServerID     string // empty until there is one
	CreatedAt    time.Time
	UpdatedAt    time.Time
	FulfilledAt  time.Time // zero until then
	Standing     Standing
	Replaces     ID        // the order whose server this one's replaces; empty: none
	EndReason    EndReason // why it ended; empty while it has not
	EndedAt      time.Time // when it ended: the team rests from then on; zero while it has not
	ReleaseAt    time.Time // when the server of an ended order is given back; zero while it has not ended
}

// ref names the order at its present attempt: what a mail is about that goes out once for each.
func (o Order) ref() string { return string(o.ID) + "." + strconv.Itoa(o.Attempt) }

// Step is the state whose work is to be done or failed: what a stepper marks.
func (o Order) Step() State {
	if o.State == Failed {
		return o.FailedStep
	}
	return o.State
}

// Can says what may be done with the order now: retry, cancel, stop, end, keep, replace, press, provider.
func (o Order) Can(act string) bool {
	switch act {
	case "retry":
		return o.State == Failed
	case "cancel":
		return calledOff(o.Step()) == Cancelled
	case "stop":
		return calledOff(o.Step()) == Stopping
	case "end", "replace":
		return o.State == Fulfilled
	case "keep":
		return o.State == Ended && o.Standing == Main
	case "press":
		return o.Mode == Manual && o.State.Live()
	case "provider":
		return o.Step() == PaymentConfirmed || o.Step() == AwaitingServer
	}
	return false
}

// EventKind says what an event is.
type EventKind string

// The kinds of events.
const (
	EventState EventKind = "state" // the order changed its state
)

// Event is one line of an order's history.
type Event struct {
	ID      int64 // grows with time
	OrderID ID
	At      time.Time
	Kind    EventKind
	State   State  // the state it reached
	Text    string // for people
	By      string // who did it: an e-mail address, or "gatehouse"
}

// Change is what comes with a changed order, in the same transaction.
type Change struct {
	Events []Event // At and OrderID are filled in
	Work   []work.Item
	Audit  *audit.Entry
	Former []func(was *Order) Change // what becomes of the order that it replaces, one after the other
}

// New is an order to be stored, with its customer when that is new too.
type New struct {
	Order   Order
	Account *account.New // nil: the customer is there already
	Change  Change

	Snapshots bool // who orders agrees to snapshots of the server
}

// Store is what Service needs; db.Orders has it.
type Store interface {
	// Create stores the order, its customer when new, its events and its work: all or nothing. It fills in Number. An
	// address that is taken is account.ErrEmailTaken, a second order ErrOneOrder.
	Create(ctx context.Context, n New) (Order, error)
	// Get finds an order of that customer.
	Get(ctx context.Context, of account.CustomerID, id ID) (Order, error)
	// Of finds the order that counts for that customer: the newest of those that replace no other.
	Of(ctx context.Context, of account.CustomerID) (Order, error)
	// Find finds an order whoever has it: jobs and staff.
	Find(ctx context.Context, id ID) (Order, error)
	// List gives the orders that f leaves, in its order: staff only.
	List(ctx context.Context, f Filter, ask page.Ask) (page.Of[Order], error)
	// Change locks the customer's order, runs fn on it, saves it with what fn returned: all or nothing.
	Change(ctx context.Context, of account.CustomerID, id ID, fn func(*Order) (Change, error)) (Order, error)
	// Replace locks the customer's order, runs fn on it and stores the order that fn gave. One that is there already is
	// ErrReplacing.
	Replace(ctx context.Context, of account.CustomerID, id ID, fn func(was *Order) (New, error)) (Order, error)
	// NextOf finds the order that is to replace the customer's main one, while it is not over.
	NextOf(ctx context.Context, of account.CustomerID) (Order, error)
	// KeyListed says whether the server of the order, as it said last, lists the key of the order as one of the business.
	KeyListed(ctx context.Context, id ID) (bool, error)
	// Due lists ended orders whose grace is over at now.
	Due(ctx context.Context, now time.Time) ([]Order, error)
	// Alerts lists orders that failed, and those of before that are still on their way, oldest first, and counts all.
	Alerts(ctx context.Context, before time.Time, limit int) (orders []Order, total int, err error)
	// TellLate queues a letter to the customer of each order of before that is still on its way, once.
	TellLate(ctx context.Context, now, before time.Time) (told int, err error)
	// TellStaff queues letters about what Alerts lists to our staff of these roles, once for each failure and once when it is late.
	TellStaff(ctx context.Context, before time.Time, roles []string) (told int, err error)
	// Log adds lines to the log.
	Log(ctx context.Context, of account.CustomerID, id ID, lines []Line) error
	// Lines lists the log of an order, the oldest first: staff only.
	Lines(ctx context.Context, id ID, f LineFilter) ([]Line, error)
	// ForgetLines removes lines of before, and says how many.
	ForgetLines(ctx context.Context, before time.Time) (int, error)
	// PlacedSince counts the orders that were placed since then, up to limit.
	PlacedSince(ctx context.Context, since time.Time, limit int) (int, error)
	// Events lists the history of the customer's order after the event with that id, oldest first.
	Events(ctx context.Context, of account.CustomerID, id ID, after int64, limit int) ([]Event, error)
	// Stranded lists live orders in mode AUTO, and those that give back, unchanged since before, for which no job is queued or
	// running.
	Stranded(ctx context.Context, before time.Time) ([]Order, error)
}

// Notifier tells open pages that an order changed.
type Notifier interface {
	OrderChanged(ctx context.Context, of account.CustomerID, id ID)
}

// Accounts prepares a newcomer's account; account.Service is one.
type Accounts interface {
	Prepare(ctx context.Context, in account.SignUp) (account.New, error)
	Customer(ctx context.Context, id account.CustomerID) (account.Customer, error)
}

// Service is what pages, the API and jobs do with orders.
type Service struct {
	Store    Store
	Accounts Accounts
	Notify   Notifier
	Names    dns.Policy // which names servers may have
	Now      func() time.Time
	Promised func() time.Duration // how long an order may take before it is late; nil: Promise

	Rules Rules // what our staff may change

	TestPays func(ctx context.Context) error // refuses where the built-in test checkout must complete no order; nil: it may

	// MayKeep refuses that a customer goes on with an order that has ended; nil: they may.
	MayKeep func(ctx context.Context, of account.CustomerID) error

	Codes     staff.Confirmer // checks the codes with which our staff confirm what nobody can take back
	Providers []string        // the places where servers can be set up; none: whatever is asked for
}

// place checks where a server is to be set up.
func (s *Service) place(provider string) error {
	if all := s.Rules.Places.Or(s.Providers); len(all) > 0 && provider != "" && !slices.Contains(all, provider) {
		return ErrPlace
	}
	return nil
}

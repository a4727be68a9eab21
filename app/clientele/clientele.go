package clientele

import (
	"context"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/work"
)

// Facts is what our staff write about a customer.
type Facts struct {
	Name     string // of the business
	Address  string // postal, in lines; may be empty
	TimeZone string // IANA name
	Locale   string // language of mails to people who have said none; empty: none either
}

// Card is a customer as our staff see them.
type Card struct {
	Facts
	ID        account.CustomerID
	CreatedAt time.Time
	Owner     string // e-mail address of the owner who came first; empty until somebody joined
	Invited   string // e-mail address to which an invitation to become the first owner is open; empty: none is
}

// First is the invitation of a customer's first owner, as long as it is open.
type First struct {
	account.Invitation
	Mailed bool // its mail was written
}

// Note is what one of our staff wrote about a customer.
type Note struct {
	ID         string
	CustomerID account.CustomerID
	Text       string
	At         time.Time
	By         string // e-mail address
	ByID       string
}

// Change is what becomes of a customer.
type Change struct {
	Facts Facts
	Entry audit.Entry
	Work  []work.Item
}

// Refusals.
var (
	ErrTaken = fault.New(fault.Conflict, "email-taken", "the address has an account",
		"This address has an account already, which belongs to one business. Nothing was changed. Use another address.")
	ErrInvited = fault.New(fault.Conflict, "already-invited", "the address is invited to become the first owner of a business",
		"This address is invited already. Nothing was changed. Look for it in the list of customers.")
	ErrJoined = fault.New(fault.Conflict, "already-joined", "the customer has people",
		"Somebody has joined this business already. Nothing was changed. Its owner invites further people.")
	ErrNotInvited = fault.New(fault.NotFound, "not-invited", "no invitation is open",
		"No invitation is open. It was answered or withdrawn meanwhile. Nothing was changed.")
)

// Store is what Service needs; db.Clientele has it.
type Store interface {
	// List lists customers, newest first.
	List(ctx context.Context, ask page.Ask) (page.Of[Card], error)
	// Find finds one.
	Find(ctx context.Context, id account.CustomerID) (Card, error)
	// Create stores a customer with the invitation of its first owner, its record and what follows: all or nothing. An address
	// that has an account is ErrTaken, one that is invited so already ErrInvited.
	Create(ctx context.Context, c Card, i account.Invitation, e audit.Entry, follow []work.Item) error
	// Change locks a customer, gives it to rule and stores what that makes of it, unless nothing changes.
	Change(ctx context.Context, of account.CustomerID, rule func(was Card) (Change, error)) error
	// First finds the open invitation of a customer's first owner, or ErrNotInvited.
	First(ctx context.Context, of account.CustomerID) (First, error)
	// Invite stores an invitation of the first owner in place of the open one. Where somebody has joined it is ErrJoined; else as
	// Create.
	Invite(ctx context.Context, i account.Invitation, e audit.Entry, follow []work.Item) error
	// Withdraw ends the open invitation of the first owner and says whose it was, or answers ErrNotInvited.
	Withdraw(ctx context.Context, of account.CustomerID, e audit.Entry) (email string, err error)
	// AddNote keeps a note and its record: both or neither.
	AddNote(ctx context.Context, n Note, e audit.Entry) error
	// Notes lists the notes about a customer, newest first.
	Notes(ctx context.Context, of account.CustomerID, ask page.Ask) (page.Of[Note], error)
}

// Service is what pages and the API do with customers.
type Service struct {
	Store Store
	Now   func() time.Time
}

// List lists customers, newest first.
func (s *Service) List(ctx context.Context, ask page.Ask) (page.Of[Card], error) {
	ask, err := ask.Clean()
	if err != nil {
		return page.Of[Card]{}, err
	}
	return s.Store.List(ctx, ask)
}

// Find finds a customer.
func (s *Service) Find(ctx context.Context, id account.CustomerID) (Card, error) {
	return s.Store.Find(ctx, id)
}

// First finds the open invitation of a customer's first owner, or ErrNotInvited.
func (s *Service) First(ctx context.Context, of account.CustomerID) (First, error) {
	return s.Store.First(ctx, of)
}

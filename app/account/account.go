package account

import (
	"context"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/work"
)

// CustomerID names a business. Every method that reads or writes a customer's data takes it.
type CustomerID string

// UserID names a person of a customer.
type UserID string

// Role is what a person may do for their business.
type Role string

// The roles.
const (
	Owner  Role = "owner"
	Member Role = "member"
)

// Customer is a business.
type Customer struct {
	ID        CustomerID
	Name      string // of the business
	TimeZone  string // IANA name
	CreatedAt time.Time
}

// User is a person of a customer.
type User struct {
	ID         UserID
	CustomerID CustomerID
	Email      string // as the person typed it
	Name       string
	Role       Role
	VerifiedAt time.Time // zero until the address is proven
	CreatedAt  time.Time
}

// Verified says whether the person has proven the address.
func (u User) Verified() bool { return !u.VerifiedAt.IsZero() }

// New is a customer with its first person, ready to be stored.
type New struct {
	Customer     Customer
	Owner        User
	PasswordHash string
	Work         []work.Item // letters to be sent
}

// Store is what Service needs; db.Accounts has it.
type Store interface {
	// ByEmail finds a person by the folded address, with the hash of their password.
	ByEmail(ctx context.Context, folded string) (User, string, error)
	// User finds a person of that customer.
	User(ctx context.Context, of CustomerID, id UserID) (User, error)
	// Users lists the people of a customer, oldest first.
	Users(ctx context.Context, of CustomerID) ([]User, error)
	// Customer finds a customer.
	Customer(ctx context.Context, id CustomerID) (Customer, error)
	// Customers lists all customers, newest first: staff only.
	Customers(ctx context.Context, ask page.Ask) (page.Of[Customer], error)
	// SetTimeZone stores a customer's time zone, records who did it and queues what follows: all or nothing.
	SetTimeZone(ctx context.Context, of CustomerID, zone string, e audit.Entry, follow []work.Item) error
	// Ask queues follow-up work that comes with no change of its own.
	Ask(ctx context.Context, items []work.Item) error

	// Recipient finds the person a letter goes to; job rows name no customer.
	Recipient(ctx context.Context, id UserID) (User, error)
	// MailRefused keeps that the mail server refused a mail to that person at now; the first time counts.
	MailRefused(ctx context.Context, id UserID, now time.Time) error
	// AddLink stores a link that was mailed.
	AddLink(ctx context.Context, l Link) error
	// PeekLink returns the person of a link that could be used now, and uses nothing.
	PeekLink(ctx context.Context, kind LinkKind, hash []byte, now time.Time) (User, error)
	// UseLink uses a link up and applies what it was for, both or neither: verify proves the address, reset stores
	// newHash, proves the address and voids the person's other links. An address that was not proven before leads to
	// work.RefreshTeam, for it counts as inside from then on. A link that is used or ran out is ErrLink.
	UseLink(ctx context.Context, kind LinkKind, hash []byte, now time.Time, newHash string) (User, error)
}

// Service is what pages and the API do with accounts.
type Service struct {
	Store  Store
	Hasher *Hasher
	Tries  *Tries
	Now    func() time.Time
}

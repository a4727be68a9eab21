package account

import (
	"context"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/tune"
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
	Chat       bool      // a member may talk with the team
	Approve    bool      // a member may decide requests
	Locale     string    // language of pages and mails; empty until one is known
	VerifiedAt time.Time // zero until the address is proven
	CreatedAt  time.Time
}

// Verified says whether the person has proven the address.
func (u User) Verified() bool { return !u.VerifiedAt.IsZero() }

// Rights is what the person may do.
func (u User) Rights() Rights { return Rights{Role: u.Role, Chat: u.Chat, Approve: u.Approve} }

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
	// People lists the people of a customer, oldest first, and when each did something last.
	People(ctx context.Context, of CustomerID) ([]Person, error)
	// ChangePerson locks the customer, gives its people to rule and stores what it makes of one of them: all or nothing. What
	// a removed person could sign in or notify with goes in the same transaction, and the open invitations of somebody who is
	// no owner any more. A customer that would be left without an owner is ErrLastOwner.
	ChangePerson(ctx context.Context, of CustomerID, rule func(people []User) (PersonChange, error)) error
	// Invitations lists the open invitations of a customer, newest first.
	Invitations(ctx context.Context, of CustomerID) ([]Invitation, error)
	// Invite stores an invitation in place of an open one to the same address, records it and queues its mail. More than limit
	// open ones are refused.
	Invite(ctx context.Context, i Invitation, limit int, e audit.Entry, mail []work.Item) error
	// EndInvitation ends an open invitation of that customer and records it.
	EndInvitation(ctx context.Context, of CustomerID, id string, e audit.Entry) (Invitation, error)
	// MailInvitation reads what the mail of an open invitation says. Unless its address has an account, hash opens the
	// invitation from now on, and nothing else.
	MailInvitation(ctx context.Context, id string, hash []byte, now time.Time) (Invited, error)
	// InviteRefused keeps that the mail server refused the mail of an invitation.
	InviteRefused(ctx context.Context, id string, now time.Time) error
	// PeekInvitation returns the invitation that hash opens at now, or ErrInvitation.
	PeekInvitation(ctx context.Context, hash []byte, now time.Time) (Invited, error)
	// Join uses an invitation up, by the hash of its secret, and adds the person, with what follows: all or nothing. An
	// invitation that is gone is
	// ErrInvitation, an address that has an account by now ErrJoinTaken.
	Join(ctx context.Context, link []byte, u User, hash string, e audit.Entry, follow []work.Item) error
	// Customer finds a customer.
	Customer(ctx context.Context, id CustomerID) (Customer, error)
	// SetTimeZone stores a customer's time zone, records who did it and queues what follows: all or nothing.
	SetTimeZone(ctx context.Context, of CustomerID, zone string, e audit.Entry, follow []work.Item) error
	// SetLocale stores a person's language and records who did it: both or neither.
	SetLocale(ctx context.Context, of CustomerID, id UserID, locale string, e audit.Entry) error
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
	// UseLink uses a link up and applies what it was for, both or neither: each proves the address; reset stores the hash of
	// the new password as well and voids the person's other links of every kind but verify; sign_in voids their other ones. An
	// address that was not proven before leads to work.RefreshTeam, for it counts as inside from then on. A link that is used
	// or ran out is ErrLink.
	UseLink(ctx context.Context, kind LinkKind, hash []byte, now time.Time, use LinkUse) (User, error)
}

// Service is what pages and the API do with accounts.
type Service struct {
	Store   Store
	Hasher  *Hasher
	Tries   *Tries
	Seconds *Seconds // checks codes of apps where they prove who is there; nil: passwords alone do
	Now     func() time.Time

	MostInvitations tune.Value[int] // of a business that may be open at once
}

package account

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/tune"
)

// Scope is which API a token opens.
type Scope string

// The scopes.
const (
	ScopeCustomer Scope = "customer" // /api/v1/customer, as one person of one customer
	ScopeAdmin    Scope = "admin"    // /api/v1/admin, as one of the staff
)

// tokenPrefix lets scanners find tokens that leaked.
const tokenPrefix = "gth_"

// ErrToken says that a token opens nothing.
var ErrToken = fault.New(fault.Unauthorized, "bad-token", "API token unknown, revoked or expired", "This access key is unknown, was removed or has expired.")

// Token is the right to use the API, kept by its hash.
type Token struct {
	ID         string
	Scope      Scope
	CustomerID CustomerID // scope customer
	UserID     UserID     // scope customer
	StaffID    string     // scope admin
	Name       string     // what its owner calls it
	Hint       string     // its last four characters
	CreatedAt  time.Time
	ExpiresAt  time.Time // zero: never
	UsedAt     time.Time // zero: never; exact to a minute
}

// Bearer is whom a token stands for.
type Bearer struct {
	Token Token
	Email string
	Name  string
	Role  string // Role or a role of the staff
	// Chat and Approve are what a member may do; owners may.
	Chat, Approve bool
}

// StaffToken is a token of one of our staff, with whose it is.
type StaffToken struct {
	Token
	Email string
	Role  string // present role of its owner, in which it acts
}

// TokenStore is what Tokens needs; db.Tokens has it.
type TokenStore interface {
	Add(ctx context.Context, t Token, hash []byte, e audit.Entry) error
	// Bearer finds whom the token of that hash stands for, and notes its use.
	Bearer(ctx context.Context, hash []byte, now time.Time) (Bearer, error)
	// List gives the tokens of a customer's people, newest first.
	List(ctx context.Context, of CustomerID) ([]Token, error)
	// Revoke ends a token of that customer.
	Revoke(ctx context.Context, of CustomerID, id string, e audit.Entry) error
	// StaffTokens gives the tokens of one of our staff, or of all who may work when staffID is empty, newest first.
	StaffTokens(ctx context.Context, staffID string) ([]StaffToken, error)
	// RevokeStaff ends a token of one of our staff.
	RevokeStaff(ctx context.Context, id string, e audit.Entry) error
}

// Tokens gives out and checks tokens for the API.
type Tokens struct {
	Store TokenStore
	Now   func() time.Time
	Life  tune.Value[time.Duration] // the longest of a token of a customer; nil: as long as is asked for
}

// IssueToUser makes a token for a person of a customer. The secret exists only in the answer. Life 0 is for ever.
func (s *Tokens) IssueToUser(ctx context.Context, u User, name string, life time.Duration, by audit.Actor) (string, Token, error) {
	if most := s.Life.Or(0); most > 0 && (life == 0 || life > most) {
		life = most
	}
	return s.issue(ctx, Token{Scope: ScopeCustomer, CustomerID: u.CustomerID, UserID: u.ID, Name: tidy(name)}, life, by)
}

// IssueToStaff makes a token for one of the staff.
func (s *Tokens) IssueToStaff(ctx context.Context, staffID, name string, life time.Duration, by audit.Actor) (string, Token, error) {
	return s.issue(ctx, Token{Scope: ScopeAdmin, StaffID: staffID, Name: tidy(name)}, life, by)
}

func (s *Tokens) issue(ctx context.Context, t Token, life time.Duration, by audit.Actor) (string, Token, error) {
	if n := utf8.RuneCountInString(t.Name); n < 1 || n > 60 || strings.ContainsFunc(t.Name, unprintable) {
		return "", Token{}, fault.Bad(map[string]string{"name": "Type a name with 1 to 60 letters, digits, spaces and signs."})
	}
	id, err := uuid.NewV7()
	if err != nil {
		return "", Token{}, fmt.Errorf("issue token: %w", err)
	}
	secret, now := tokenPrefix+newSecret(), s.Now().UTC()
	t.ID, t.Hint, t.CreatedAt = id.String(), secret[len(secret)-4:], now
	if life > 0 {
		t.ExpiresAt = now.Add(life)
	}
	e, err := entry(now, by, t.CustomerID, "token.issue", t.ID)
	if err == nil {
		err = s.Store.Add(ctx, t, hashSecret(secret), e)
	}
	if err != nil {
		return "", Token{}, fmt.Errorf("issue token: %w", err)
	}
	return secret, t, nil
}

// Authenticate finds whom a token stands for, or answers ErrToken.
func (s *Tokens) Authenticate(ctx context.Context, secret string) (Bearer, error) {
	if !strings.HasPrefix(secret, tokenPrefix) {
		return Bearer{}, ErrToken
	}
	b, err := s.Store.Bearer(ctx, hashSecret(secret), s.Now().UTC())
	if isNotFound(err) {
		return Bearer{}, fmt.Errorf("%w: %w", ErrToken, err)
	}
	return b, err
}

// List gives the tokens of a customer's people, newest first.
func (s *Tokens) List(ctx context.Context, of CustomerID) ([]Token, error) {
	return s.Store.List(ctx, of)
}

// Revoke ends a token of a customer.
func (s *Tokens) Revoke(ctx context.Context, of CustomerID, id string, by audit.Actor) error {
	e, err := entry(s.Now().UTC(), by, of, "token.revoke", id)
	if err != nil {
		return err
	}
	return s.Store.Revoke(ctx, of, id, e)
}

// OfStaff gives the tokens of one of our staff, or of all when staffID is empty, newest first.
func (s *Tokens) OfStaff(ctx context.Context, staffID string) ([]StaffToken, error) {
	return s.Store.StaffTokens(ctx, staffID)
}

// RevokeOfStaff ends a token of one of our staff.
func (s *Tokens) RevokeOfStaff(ctx context.Context, t StaffToken, by audit.Actor) error {
	e, err := entry(s.Now().UTC(), by, "", "token.revoke", t.ID)
	if err != nil {
		return err
	}
	e.Details = map[string]string{"of": t.Email}
	return s.Store.RevokeStaff(ctx, t.ID, e)
}

func entry(now time.Time, by audit.Actor, of CustomerID, action, target string) (audit.Entry, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return audit.Entry{}, fmt.Errorf("%s: %w", action, err)
	}
	return audit.Entry{ID: id.String(), At: now, By: by, CustomerID: string(of), Action: action, Target: target}, nil
}

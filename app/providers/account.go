package providers

import (
	"context"
	"time"
)

// Grant is the access that somebody gave at netcup.
type Grant struct {
	Refresh, Access string // secrets
	Until           time.Time
	AccountID       int64
	Account         string
}

// Answer is what netcup says of a code.
type Answer string

// The answers.
const (
	Yes     Answer = "yes"
	NotYet  Answer = "not yet"
	Slower  Answer = "slower" // not yet, and ask less often
	No      Answer = "no"
	TooLate Answer = "too late"
)

// Listed is a machine in the account, as netcup lists it.
type Listed struct {
	ID      int64
	Name    string
	Called  string // what our staff call it there: nickname, or host name; may be empty
	Product string
	Address string // IPv4; empty in lists
	City    string // where it stands; empty in lists
	Region  string // eu or na by its city; empty: not known
}

// Account is the account at netcup; netcup.Account is one.
type Account interface {
	// Ask asks for a code that somebody says yes to at netcup.
	Ask(ctx context.Context) (Ask, error)
	// Poll asks whether somebody did.
	Poll(ctx context.Context, ask Ask) (Grant, Answer, error)
	// Revoke ends a lasting token.
	Revoke(ctx context.Context, refresh string) error
	// Servers lists all machines in the account.
	Servers(ctx context.Context) ([]Listed, error)
	// Server says more of one.
	Server(ctx context.Context, id int64) (Listed, error)
}

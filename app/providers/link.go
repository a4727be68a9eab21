package providers

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
)

// Link is how the hub is connected to the account at netcup. There is one.
type Link struct {
	Refresh     string // secret: gets new access; empty: not connected
	Access      string // secret: what requests carry, for some minutes
	AccessUntil time.Time
	AccountID   int64  // netcup's own number of the account
	Account     string // its name there
	By          string // who connected it
	At          time.Time
	RefreshedAt time.Time
	Problem     string // why it works no more, in words for people; empty: nothing is known to be wrong
	ProblemAt   time.Time

	Ask Ask
}

// Connected says whether the hub may ask netcup.
func (l Link) Connected() bool { return l.Refresh != "" }

// Ask is a connection that somebody has asked for and that waits for a yes at netcup.
type Ask struct {
	Device string // secret: what the hub asks with
	Code   string // what the person compares or types at netcup; empty: nobody has asked
	Page   string // where to say yes
	By     string
	At     time.Time
	Until  time.Time
	Every  time.Duration // how long to wait between questions, at least
	Next   time.Time     // when netcup may be asked again
	End    End
}

// End says how an Ask ended without a connection.
type End string

// The ends of an Ask. They stand in rows: never rename.
const (
	Waiting End = ""
	Refused End = "refused"
	Expired End = "expired"
	Stopped End = "stopped" // by our staff
)

// Open says whether a yes at netcup would still connect.
func (a Ask) Open(now time.Time) bool { return a.Code != "" && a.End == Waiting && now.Before(a.Until) }

// ErrNotConnected says that there is no account to ask.
var ErrNotConnected = fault.New(fault.Conflict, "netcup-not-connected", "netcup is not connected",
	"netcup is not connected. Nothing was changed. Connect it on the page of providers, then try again.")

// LinkStore keeps the link, its secrets sealed; db.NetcupLink does.
type LinkStore interface {
	// Link reads the link as it is.
	Link(ctx context.Context) (Link, error)
	// Change locks the link, runs fn on it and saves it with the record that fn gave, if any. Of two processes the second waits, and sees
	// what the first saved: so no token is refreshed twice. It joins no transaction: were that undone, a token that came would be lost.
	Change(ctx context.Context, fn func(ctx context.Context, l *Link) (*audit.Entry, error)) (Link, error)
}

const (
	// LockedFor is how long netcup may be asked while a row is locked: shorter than the database has others wait for it.
	LockedFor = 8 * time.Second
	keptFor   = 25 * time.Second // for the lock, for netcup, and to save what it gave
)

// Keep changes the link by what netcup answers, also when nobody waits for that any more: what netcup gave is given once, and has to be
// kept. The context of fn ends after LockedFor.
func Keep(ctx context.Context, links LinkStore, fn func(ctx context.Context, l *Link) (*audit.Entry, error)) (Link, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keptFor)
	defer cancel()
	l, err := links.Change(ctx, func(ctx context.Context, l *Link) (*audit.Entry, error) {
		ctx, cancel := context.WithTimeout(ctx, LockedFor)
		defer cancel()
		return fn(ctx, l)
	})
	if err != nil {
		return l, fmt.Errorf("link to netcup: %w", err)
	}
	return l, nil
}

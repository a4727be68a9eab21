package machine

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/server"
)

// ConsentStore is what Consents needs; db.SnapshotConsents has it.
type ConsentStore interface {
	Agreed(ctx context.Context, of account.CustomerID) (time.Time, error)
	// Copies lists the snapshots of a server, newest first.
	Copies(ctx context.Context, id server.ID) ([]Copy, error)
	// Agree keeps that a customer agrees, with the record e. Who agrees already stays agreed since then.
	Agree(ctx context.Context, of account.CustomerID, user account.UserID, now time.Time, e audit.Entry) error
	// Withdraw removes the consent, with the record e, and queues the work that deletes what there is.
	Withdraw(ctx context.Context, of account.CustomerID, e audit.Entry) error
}

// Consents lets owners agree to snapshots of their server, and take that back.
type Consents struct {
	Store ConsentStore
	Can   map[string]Abilities // of each provider, by its name
	Now   func() time.Time
}

// Agreement is how it stands with the snapshots of a customer's server.
type Agreement struct {
	Can    bool      // the provider makes snapshots
	Since  time.Time // when the owner agreed; zero: not at all
	Copies int       // how many there are
	Newest time.Time // when the newest was made; zero: there is none
}

// Of says how it stands with a customer, whose server is srv.
func (c *Consents) Of(ctx context.Context, of account.CustomerID, srv server.Server) (a Agreement, err error) {
	a.Can = c.Can[srv.Provider].Snapshots
	if a.Since, err = c.Store.Agreed(ctx, of); err != nil {
		return a, err
	}
	all, err := c.Store.Copies(ctx, srv.ID)
	if err != nil || len(all) == 0 {
		return a, err
	}
	a.Copies, a.Newest = len(all), all[0].MadeAt
	return a, nil
}

// Agree keeps that the owner agrees.
func (c *Consents) Agree(ctx context.Context, of account.CustomerID, by audit.Actor) error {
	e, err := c.entry(of, by, "snapshots.agree")
	if err != nil {
		return err
	}
	return c.Store.Agree(ctx, of, account.UserID(by.ID), e.At, e)
}

// Withdraw takes the consent back. What there is, is deleted soon after.
func (c *Consents) Withdraw(ctx context.Context, of account.CustomerID, by audit.Actor) error {
	e, err := c.entry(of, by, "snapshots.withdraw")
	if err != nil {
		return err
	}
	return c.Store.Withdraw(ctx, of, e)
}

func (c *Consents) entry(of account.CustomerID, by audit.Actor, action string) (audit.Entry, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return audit.Entry{}, fmt.Errorf("%s: %w", action, err)
	}
	return audit.Entry{ID: id.String(), At: c.Now().UTC(), By: by, CustomerID: string(of), Action: action, Target: string(of)}, nil
}

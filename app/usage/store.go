package usage

import (
	"context"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/server"
)

// Report is what a meter says: all rows of its database that changed after an earlier report, up to a revision.
type Report struct {
	Epoch    string
	Revision int64     // the largest of the database when the rows were read
	At       time.Time // by the hub's clock
	Rows     []Bucket  // Server, Customer and Epoch are not looked at; no two of one key
}

// Store keeps buckets; db.Usage has it.
type Store interface {
	// Keep stores what a server reported, all or nothing, in the transaction of ctx, as buckets of the customer whose server it
	// is. It gives the rows of r that were there before, as they were. A row stays as it is unless the reported one has a
	// larger revision and no smaller count.
	Keep(ctx context.Context, of server.ID, r Report) (was []Bucket, err error)
	// Buckets are those of a customer whose hour is in [from, to), by hour, agent, parent, model, profile, key, server and epoch.
	Buckets(ctx context.Context, of account.CustomerID, from, to time.Time) ([]Bucket, error)
}

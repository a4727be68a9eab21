package usage

import (
	"context"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/server"
)

// Store keeps buckets; db.Usage has it.
type Store interface {
	// Keep stores rows that a server reported, no two of one key, in the transaction of ctx: all or none, as buckets of the
	// customer whose server it is, whatever the rows say. A row that was there stays as it is unless the reported one has a
	// larger revision and no smaller count. Keep gives those that were there, as they were.
	Keep(ctx context.Context, of server.ID, rows []Bucket) (was []Bucket, err error)
	// Buckets are those of a customer whose hour is in [from, to), by hour, agent, parent, model, profile, key, server and epoch.
	Buckets(ctx context.Context, of account.CustomerID, from, to time.Time) ([]Bucket, error)
}

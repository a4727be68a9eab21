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
	// Sums adds up each day and epoch of a server, UTC, whose hour is in [from, to).
	Sums(ctx context.Context, of server.ID, from, to time.Time) ([]Sum, error)
	// Reporting lists servers that were heard lately and report usage: those that can be asked.
	Reporting(ctx context.Context) ([]server.ID, error)
	// Checked keeps how a comparison of a server ended, and says whether it ended otherwise than the one before. off is empty
	// when nothing differs.
	Checked(ctx context.Context, of server.ID, off string, at time.Time) (other bool, err error)
}

// Sum is what a meter of a server counted in one epoch on one day.
type Sum struct {
	Epoch string
	Day   time.Time // its beginning, UTC
	Counts
}

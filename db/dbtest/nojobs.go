package dbtest

import (
	"context"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/work"
)

// NoJobs takes work for the queue and forgets it.
type NoJobs struct{}

// EnqueueTx does nothing.
func (NoJobs) EnqueueTx(context.Context, pgx.Tx, []work.Item) error { return nil }

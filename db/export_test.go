package db

import (
	"context"

	"gatehouse/app/replay"
)

// First is what a repeat finds, for tests.
func (s *Idempotency) First(ctx context.Context, principal, key string, hash []byte) (*replay.Answer, error) {
	return s.first(ctx, &idempotencyRow{Principal: principal, Key: key}, hash)
}

// SQLState is the SQLSTATE in err, for tests.
var SQLState = sqlState

// MigrateFiles is Migrate with other files, for tests.
var MigrateFiles = migrate

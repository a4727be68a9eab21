package db

import (
	"context"

	"gatehouse/app/audit"
)

// Trail writes the record of changes in the transaction of the context.
type Trail struct{ DB *DB }

// Add records e.
func (t *Trail) Add(ctx context.Context, e audit.Entry) error {
	return t.DB.InTx(ctx, func(ctx context.Context, tx Tx) error { return writeAudit(ctx, tx, e) })
}

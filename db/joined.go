package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
)

// cached has a statement prepared once for each connection: for queries of fixed text, which are sent often.
const cached = pgx.QueryExecModeCacheStatement

// joint is a transaction that several stores write in together; it travels in the context.
type joint struct {
	bun bun.Tx
	pgx pgx.Tx
}

type jointKey struct{}

// joined runs fn in the transaction of ctx, or in a new one that every store called with fn's ctx takes part in.
func (d *DB) joined(ctx context.Context, fn func(ctx context.Context, tx joint) error) error {
	if tx, ok := ctx.Value(jointKey{}).(joint); ok {
		return fn(ctx, tx)
	}
	return d.InTx(ctx, func(ctx context.Context, b bun.Tx, p pgx.Tx) error {
		tx := joint{bun: b, pgx: p}
		return fn(context.WithValue(ctx, jointKey{}, tx), tx)
	})
}

// querier is what reads need: the pool, or a transaction.
type querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// reader is the transaction of ctx, or the pool.
func (d *DB) reader(ctx context.Context) querier {
	if tx, ok := ctx.Value(jointKey{}).(joint); ok {
		return tx.pgx
	}
	return d.Pool
}

// attempt runs fn so that, when it fails, what it wrote in the transaction is taken back and the transaction goes on.
func (tx joint) attempt(ctx context.Context, fn func() error) error {
	if _, err := tx.pgx.Exec(ctx, "SAVEPOINT attempt"); err != nil {
		return fmt.Errorf("savepoint: %w", err)
	}
	err := fn()
	if err != nil {
		if _, back := tx.pgx.Exec(ctx, "ROLLBACK TO SAVEPOINT attempt"); back != nil {
			return errors.Join(err, errBroken, back)
		}
	}
	if _, rel := tx.pgx.Exec(ctx, "RELEASE SAVEPOINT attempt"); rel != nil {
		return errors.Join(err, errBroken, rel)
	}
	return err
}

// errBroken says that a transaction cannot go on.
var errBroken = errors.New("transaction is broken")

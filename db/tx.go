package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
)

// Tx is one transaction: bun's (embedded) for rows and queries, pgx's for River and for prepared statements.
type Tx struct {
	bun.Tx
	PGX pgx.Tx
}

type txKey struct{}

// InTx runs fn in the transaction of ctx, or in a new one, which commits when fn returns nil. A store that is called with
// fn's ctx takes part in it. Inside fn use one goroutine, read pgx rows to their end before the next bun call, and do not
// touch the pool: it would wait for a second connection.
func (d *DB) InTx(ctx context.Context, fn func(ctx context.Context, tx Tx) error) error {
	if tx, ok := ctx.Value(txKey{}).(Tx); ok {
		return fn(ctx, tx)
	}
	conn, err := d.Conn(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = conn.Close() }() // hands the connection back; a broken one is dropped by the pool
	pc, err := pgxOf(conn)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	// The transaction must not know when ctx ends: database/sql would roll back in a goroutine of its own, on a
	// connection that pgx may be using at that moment. Every statement in fn still ends with ctx.
	return conn.RunInTx(context.WithoutCancel(ctx), nil, func(_ context.Context, b bun.Tx) error {
		tx := Tx{Tx: b, PGX: sharedTx{pgxConn: pc}}
		return fn(context.WithValue(ctx, txKey{}, tx), tx)
	})
}

// joins says whether what is done with ctx takes part in a transaction.
func joins(ctx context.Context) bool {
	_, ok := ctx.Value(txKey{}).(Tx)
	return ok
}

// pgxOf is the connection of pgx under one of database/sql.
func pgxOf(conn bun.Conn) (pc *pgx.Conn, err error) {
	err = conn.Raw(func(dc any) error {
		sc, ok := dc.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("unexpected driver connection %T", dc)
		}
		pc = sc.Conn()
		return nil
	})
	return pc, err
}

// bun is where a store reads and writes: the transaction of ctx, or the pool.
func (d *DB) bun(ctx context.Context) bun.IDB {
	if tx, ok := ctx.Value(txKey{}).(Tx); ok {
		return tx
	}
	return d.DB
}

// querier runs statements of pgx: the pool, or a transaction.
type querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// pgx is what bun is, for statements that are sent so often that they are prepared: see cached.
func (d *DB) pgx(ctx context.Context) querier {
	if tx, ok := ctx.Value(txKey{}).(Tx); ok {
		return tx.PGX
	}
	return d.Pool
}

// cached has each connection prepare a statement once: Postgres parses and plans it once instead of at every call. It goes
// before the values, for statements of fixed text on the paths that are measured: frames of a link, approvals, sign-ins.
const cached = pgx.QueryExecModeCacheStatement

// named are the values of a statement of pgx, by the names that stand in it behind @.
type named = pgx.StrictNamedArgs

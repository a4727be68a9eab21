package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
)

// InTx runs fn in one transaction, seen through bun and, for River, through pgx. It commits when fn returns nil. Inside
// fn use one goroutine, read pgx rows to their end before the next bun call, and do not touch the pool: it would wait
// for a second connection.
func (d *DB) InTx(ctx context.Context, fn func(ctx context.Context, tx bun.Tx, px pgx.Tx) error) error {
	conn, err := d.Conn(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = conn.Close() }() // hands the connection back; a broken one is dropped by the pool
	var pc *pgx.Conn
	if err := conn.Raw(func(dc any) error {
		sc, ok := dc.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("unexpected driver connection %T", dc)
		}
		pc = sc.Conn()
		return nil
	}); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	// The transaction must not know when ctx ends: database/sql would roll back in a goroutine of its own, on a
	// connection that pgx may be using at that moment. Every statement in fn still ends with ctx.
	return conn.RunInTx(context.WithoutCancel(ctx), nil, func(_ context.Context, tx bun.Tx) error {
		return fn(ctx, tx, sharedTx{c: pc})
	})
}

// errNotYours refuses an end of the transaction that its owner, database/sql, would not know of.
var errNotYours = errors.New("the transaction is ended by InTx alone")

// sharedTx lets River write into the transaction that bun has begun on the same connection.
type sharedTx struct {
	c         *pgx.Conn
	savepoint string // empty at the top
	depth     int
}

// Begin sets a savepoint: a second BEGIN would let its COMMIT end the outer transaction.
func (t sharedTx) Begin(ctx context.Context) (pgx.Tx, error) {
	sub := sharedTx{c: t.c, depth: t.depth + 1, savepoint: fmt.Sprintf("shared_%d", t.depth+1)}
	if _, err := t.c.Exec(ctx, "SAVEPOINT "+sub.savepoint); err != nil {
		return nil, err
	}
	return sub, nil
}

func (t sharedTx) Commit(ctx context.Context) error {
	return t.end(ctx, "RELEASE SAVEPOINT ")
}

func (t sharedTx) Rollback(ctx context.Context) error {
	return t.end(ctx, "ROLLBACK TO SAVEPOINT ")
}

func (t sharedTx) end(ctx context.Context, how string) error {
	if t.savepoint == "" {
		return errNotYours
	}
	_, err := t.c.Exec(ctx, how+t.savepoint)
	return err
}

func (t sharedTx) CopyFrom(ctx context.Context, table pgx.Identifier, cols []string, src pgx.CopyFromSource) (int64, error) {
	return t.c.CopyFrom(ctx, table, cols, src)
}

func (t sharedTx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return t.c.SendBatch(ctx, b)
}

func (t sharedTx) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

func (t sharedTx) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	return t.c.Prepare(ctx, name, sql)
}

func (t sharedTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return t.c.Exec(ctx, sql, args...)
}

func (t sharedTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return t.c.Query(ctx, sql, args...)
}

func (t sharedTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return t.c.QueryRow(ctx, sql, args...)
}

func (t sharedTx) Conn() *pgx.Conn { return t.c }

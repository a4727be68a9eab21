package db

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// errNotYours refuses to end a transaction behind the back of its owner, database/sql.
var errNotYours = errors.New("the transaction is ended by InTx alone")

type pgxConn = pgx.Conn

// sharedTx lets River and prepared statements run in the transaction that bun has begun on the same connection.
type sharedTx struct {
	*pgxConn
	savepoint string // empty at the top
	depth     int
}

// Begin sets a savepoint: a second BEGIN would let its COMMIT end the outer transaction.
func (t sharedTx) Begin(ctx context.Context) (pgx.Tx, error) {
	sub := sharedTx{pgxConn: t.pgxConn, depth: t.depth + 1, savepoint: fmt.Sprintf("shared_%d", t.depth+1)}
	if _, err := t.Exec(ctx, "SAVEPOINT "+sub.savepoint); err != nil {
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
	_, err := t.Exec(ctx, how+t.savepoint)
	return err
}

func (t sharedTx) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

func (t sharedTx) Conn() *pgx.Conn { return t.pgxConn }

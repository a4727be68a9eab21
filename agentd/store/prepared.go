package store

import (
	"context"
	"database/sql"
)

// statements are the queries of the hot paths, parsed once for the writer's connection. Only the writer goroutine
// touches them: it learns a query while a Write uses it, and prepares it between two batches, for in a batch the one
// connection is taken.
type statements struct {
	ready map[string]*sql.Stmt
	asked map[string]bool // seen, and to be prepared after this batch
}

func newStatements() statements {
	return statements{ready: map[string]*sql.Stmt{}, asked: map[string]bool{}}
}

// Exec is tx.Exec for a query that comes again and again with other arguments. Only inside the fn of a Write.
func (db *DB) Exec(tx *sql.Tx, query string, args ...any) (sql.Result, error) {
	ctx := context.Background() // a Write that was taken up is brought to its end
	if s := db.statements.ready[query]; s != nil {
		return tx.StmtContext(ctx, s).ExecContext(ctx, args...)
	}
	db.statements.asked[query] = true
	return tx.ExecContext(ctx, query, args...)
}

// QueryRow is tx.QueryRow for such a query. Only inside the fn of a Write.
func (db *DB) QueryRow(tx *sql.Tx, query string, args ...any) *sql.Row {
	ctx := context.Background() // a Write that was taken up is brought to its end
	if s := db.statements.ready[query]; s != nil {
		return tx.StmtContext(ctx, s).QueryRowContext(ctx, args...)
	}
	db.statements.asked[query] = true
	return tx.QueryRowContext(ctx, query, args...)
}

// learn prepares what the last batch has asked for. A query that cannot be prepared goes on being parsed each time,
// and says what is wrong with it whenever it is used.
func (db *DB) learn() {
	for query := range db.statements.asked {
		if s, err := db.write.PrepareContext(context.Background(), query); err == nil {
			db.statements.ready[query] = s
		}
	}
	clear(db.statements.asked)
}

package e2e

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"gatehouse/db/devpg"
)

// TableNames are those of every table of a hub's database, as SQL writes them.
func TableNames(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	rows, err := conn.Query(ctx, "SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) FROM information_schema.tables "+
		"WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'")
	if err != nil {
		return nil, err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err == nil && len(names) < 20 {
		err = fmt.Errorf("only %d tables", len(names))
	}
	return names, err
}

// Connect opens the hub's own database, which runs already.
func (h *Hub) Connect(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := h.database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// database is Connect for those who may get an error.
func (h *Hub) database(ctx context.Context) (*pgx.Conn, error) {
	if h.dsn != "" {
		return pgx.Connect(ctx, h.dsn)
	}
	pg, err := devpg.Start(ctx, devpg.Options{Dir: filepath.Join(h.Dir, "postgres"), Durable: true})
	if err != nil {
		return nil, err
	}
	if !pg.Adopted {
		return nil, errors.Join(errors.New("the hub's Postgres did not run"), pg.Stop(ctx))
	}
	return pgx.Connect(ctx, strings.Replace(pg.DSN, "/postgres?", "/gatehouse?", 1))
}

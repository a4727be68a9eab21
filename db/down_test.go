package db_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"gatehouse/db"
	"gatehouse/db/dbtest"
)

func TestDown(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	_, err := d.Pool.Exec(t.Context(), "SELECT 1/0")
	if err == nil || db.Down(err) || db.Down(nil) || db.Down(errors.New("no row")) || db.Down(db.ErrNotFound) {
		t.Errorf("a mistake of ours counts as the database being away: %v", err)
	}
	for _, state := range []string{"57P01", "57P03", "53300", "08006"} {
		if !db.Down(fmt.Errorf("load: %w", &pgconn.PgError{Code: state})) {
			t.Errorf("%s does not count", state)
		}
	}
	if _, err := db.Open(t.Context(), "postgres://u:p@127.0.0.1:1/x?sslmode=disable"); !db.Down(err) {
		t.Errorf("nobody listens: %v", err)
	}
	ended := broken(t, d)
	if !db.Down(ended) {
		t.Errorf("a connection that was ended while it was used: %v", ended)
	}
}

// broken is what a query gets whose connection the server ends under it.
func broken(t *testing.T, d *db.DB) error {
	t.Helper()
	_, err := d.Pool.Exec(t.Context(), "SELECT pg_terminate_backend(pg_backend_pid())")
	if err == nil {
		t.Fatal("the connection is still there")
	}
	return err
}

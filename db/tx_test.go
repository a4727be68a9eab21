package db_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"

	"gatehouse/app/work"
	"gatehouse/db"
	"gatehouse/jobs"
)

// TestDB_InTx_withTheQueue writes a row with bun and a job with River in one transaction: both or neither.
func TestDB_InTx_withTheQueue(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	q, err := jobs.NewQueue(d.Pool, slog.New(slog.DiscardHandler))
	must(t, err)
	boom := errors.New("boom")
	write := func(id string, end error) error {
		return d.InTx(t.Context(), func(ctx context.Context, tx db.Tx) error {
			if _, err := tx.ExecContext(ctx, "INSERT INTO customers VALUES (?, 'x', 'UTC', now())", id); err != nil {
				return err
			}
			if err := q.EnqueueTx(ctx, tx.PGX, []work.Item{work.AdvanceOrder{OrderID: id, Step: "X"}}); err != nil {
				return err
			}
			return end
		})
	}
	counts := func() (customers, queued int) {
		t.Helper()
		const both = "SELECT (SELECT count(*) FROM customers), (SELECT count(*) FROM river_job)"
		must(t, d.Pool.QueryRow(t.Context(), both).Scan(&customers, &queued))
		return
	}
	wantErr(t, write(id(t), boom), boom)
	if c, j := counts(); c != 0 || j != 0 {
		t.Errorf("rolled back: %d customers, %d jobs", c, j)
	}
	one := id(t)
	must(t, write(one, nil))
	if c, j := counts(); c != 1 || j != 1 {
		t.Errorf("committed: %d customers, %d jobs", c, j)
	}
	if err := q.EnqueueTx(t.Context(), nil, []work.Item{unknown{}}); err == nil {
		t.Error("work that nobody does was queued")
	}
}

type unknown struct{}

func (unknown) WorkKind() string { return "unknown" }

func TestDB_InTx_savepoints(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	err := d.InTx(t.Context(), func(ctx context.Context, tx db.Tx) error {
		if err := tx.PGX.Commit(ctx); err == nil {
			t.Error("somebody else ended the transaction")
		}
		if err := tx.PGX.Rollback(ctx); err == nil {
			t.Error("somebody else ended the transaction")
		}
		sub, err := tx.PGX.Begin(ctx)
		if err != nil {
			return err
		}
		if _, err := sub.Exec(ctx, "INSERT INTO customers VALUES ($1, 'lost', 'UTC', now())", id(t)); err != nil {
			return err
		}
		if _, err := sub.Exec(ctx, "nonsense"); err == nil {
			t.Error("nonsense was accepted")
		}
		if err := sub.Rollback(ctx); err != nil {
			return err
		}
		if sub, err = tx.PGX.Begin(ctx); err != nil {
			return err
		}
		if _, err := sub.Exec(ctx, "INSERT INTO customers VALUES ($1, 'kept', 'UTC', now())", id(t)); err != nil {
			return err
		}
		return sub.Commit(ctx)
	})
	must(t, err)
	var names string
	must(t, d.Pool.QueryRow(t.Context(), "SELECT string_agg(name, ',') FROM customers").Scan(&names))
	if names != "kept" {
		t.Errorf("customers %q", names)
	}
}

// TestDB_poolIsShared runs bun and pgx on a pool of two connections at once: neither starves the other.
func TestDB_poolIsShared(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	small, err := db.Open(t.Context(), d.Pool.Config().ConnString()+"&pool_max_conns=2")
	must(t, err)
	defer small.Close()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			var n int
			if err := small.NewSelect().ColumnExpr("1").Scan(t.Context(), &n); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			if _, err := small.Pool.Exec(t.Context(), "SELECT 1"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

package jobs_test

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gatehouse/app/order"
	"gatehouse/db"
	"gatehouse/db/devpg"
)

// ownPostgres is a database on a cluster that no other test uses.
func ownPostgres(t *testing.T) (*devpg.Server, *db.DB) {
	t.Helper()
	dir, err := os.MkdirTemp("", "jobs-pg-") // one that Postgres' own account reaches
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	pg, err := devpg.Start(t.Context(), devpg.Options{Dir: filepath.Join(dir, "pg"), Durable: true, Tied: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pg.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	if err := db.Migrate(t.Context(), pg.DSN); err != nil {
		t.Fatal(err)
	}
	d, err := db.Open(t.Context(), pg.DSN)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return pg, d
}

// gate holds a set-up in the middle of its work.
type gate struct{ entered, leave, left chan struct{} }

// TestOrder_postgresRestarted kills Postgres while orders are set up, once so that it is back before the work goes on and once so that
// the work fails without it, and nobody can note that: both orders are fulfilled, on one machine each, and their history has each state
// once.
func TestOrder_postgresRestarted(t *testing.T) {
	t.Parallel()
	pg, d := ownPostgres(t)
	b := newBench(t, d)
	var shut atomic.Pointer[gate]
	b.host.register = func(ctx context.Context, token string) error {
		if g := shut.Swap(nil); g != nil {
			close(g.entered)
			<-g.leave
			defer close(g.left)
		}
		return b.register(ctx, token)
	}
	b.work(t, b.deps(time.Now))
	for what, back := range map[string]bool{"back before the work goes on": true, "back after it": false} {
		g := &gate{make(chan struct{}), make(chan struct{}), make(chan struct{})}
		shut.Store(g)
		_, o := b.checkout(t)
		<-g.entered
		if err := syscall.Kill(pg.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, "Postgres is dead", func() bool { return !pg.Alive() })
		if !back {
			close(g.leave)
			<-g.left
		}
		if err := pg.Revive(t.Context()); err != nil {
			t.Fatal(err)
		}
		if back {
			close(g.leave)
		}
		eventually(t, what+": the order is fulfilled", func() bool {
			b.endPauses(t)
			now, err := b.orders.Get(t.Context(), o.CustomerID, o.ID)
			if err != nil {
				t.Fatal(err)
			}
			return now.State == order.Fulfilled
		})
		b.wentOnce(t, what, o)
	}
}

// wentOnce holds what became of an order against what it may be: each state once, and a machine of its own.
func (b *bench) wentOnce(t *testing.T, what string, o order.Order) {
	t.Helper()
	events, err := b.orders.Events(t.Context(), o.CustomerID, o.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[order.State]int{}
	for _, e := range events {
		if seen[e.State]++; seen[e.State] > 1 {
			t.Errorf("%s: %s stands in the history %d times", what, e.State, seen[e.State])
		}
	}
	if len(seen) != 7 {
		t.Errorf("%s: the history has %v", what, seen)
	}
	now, err := b.orders.Get(t.Context(), o.CustomerID, o.ID)
	if err != nil {
		t.Fatal(err)
	}
	b.host.mu.Lock()
	defer b.host.mu.Unlock()
	if b.host.allocated[now.ServerID] == 0 {
		t.Errorf("%s: no machine for %s among %v", what, now.ServerID, b.host.allocated)
	}
}

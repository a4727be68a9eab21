package db_test

import (
	"testing"
	"time"

	"gatehouse/app/attention"
	"gatehouse/db"
)

// TestAttention_Counts: each figure counts what it says, and nothing else.
func TestAttention_Counts(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	s := &attention.Service{Store: &db.Attention{DB: d}, Now: func() time.Time { return t0.Add(time.Hour) }}
	none, err := s.Counts(t.Context())
	must(t, err)
	if none != (attention.Counts{}) || none.Empty() {
		t.Fatalf("an empty hub counts %+v", none)
	}
	n, srv := withServer(t, d) // ordered an hour ago
	withServer(t, d)
	exec := func(q string, args ...any) {
		t.Helper()
		_, err := d.Pool.Exec(t.Context(), q, args...)
		must(t, err)
	}
	exec("UPDATE orders SET state = 'FAILED', failed_step = 'PAYMENT_CONFIRMED', reason = 'No machine.' WHERE id = $1", n.Order.ID)
	exec("UPDATE orders SET mode = 'MANUAL'")
	exec("UPDATE servers SET state = 'offline' WHERE id = $1", srv.ID)
	exec("UPDATE servers SET state = 'degraded' WHERE id <> $1", srv.ID)
	exec("INSERT INTO receipt_holds (id, server_id, why, at) VALUES ($1, $2, 'gap', $3)", id(t), srv.ID, t0)
	exec(`INSERT INTO pool_machines (id, name, address, port, login, region, state, server_id, created_at)
		VALUES ($1, 'm', 'm.example.com', 22, 'root', 'eu', 'needs_hands', $2, $3)`, id(t), srv.ID, t0)
	exec(`INSERT INTO river_job (kind, queue, args, max_attempts, state, finalized_at) VALUES
		('x', 'mail', '{}', 1, 'discarded', now()), ('x', 'mail', '{}', 1, 'completed', now()), ('x', 'mail', '{}', 1, 'retryable', NULL)`)
	got, err := s.Counts(t.Context())
	must(t, err)
	want := attention.Counts{
		Failed: 1, Manual: 1, Late: 1, Offline: 1, Degraded: 1, Held: 1, Hands: 1, Machines: 1, Dead: 1, Retried: 1,
		Customers: 2, Servers: 2,
	}
	if got != want || !got.Empty() {
		t.Errorf("%+v, want %+v", got, want)
	}
	s.Promised = func() time.Duration { return 2 * time.Hour }
	if got, err = s.Counts(t.Context()); err != nil || got.Late != 0 {
		t.Errorf("within what is promised: %+v, %v", got, err)
	}
}

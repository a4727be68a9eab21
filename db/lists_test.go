package db_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse/app/job"
	"gatehouse/app/page"
	"gatehouse/app/server"
	"gatehouse/db"
)

// by says whether a plan reads a table by one of its indexes, and never all of it.
func (p *plan) by(index string) bool {
	return strings.Contains(p.text, index) && !strings.Contains(p.text, "Seq Scan on "+p.of)
}

// manyServers is a server for each of n orders, nearly all of them online, and as many jobs that are done, with some that failed.
func manyServers(t testing.TB, d *db.DB, n int) {
	t.Helper()
	manyOrders(t, d, n)
	for _, q := range []string{
		`INSERT INTO servers (id, customer_id, order_id, slug, provider, state, created_at)
			SELECT gen_random_uuid(), customer_id, id, slug, 'local', CASE WHEN number % 200 = 0 THEN 'offline' ELSE 'online' END,
				created_at FROM orders`,
		`INSERT INTO river_job (state, attempt, max_attempts, attempted_at, finalized_at, kind, queue, args, scheduled_at)
			SELECT CASE WHEN i % 200 = 0 THEN 'discarded' ELSE 'completed' END::river_job_state, 1, 4, now(), now(),
				CASE WHEN i % 500 = 1 THEN 'chores' ELSE 'send_mail' END, CASE WHEN i % 500 = 1 THEN 'rare' ELSE 'default' END, '{}', now()
			FROM generate_series(1, ` + fmt.Sprint(n) + `) AS i`,
	} {
		tx, err := d.Pool.Begin(t.Context())
		must(t, err)
		_, err = tx.Exec(t.Context(), "SET LOCAL session_replication_role = replica")
		must(t, err)
		_, err = tx.Exec(t.Context(), q)
		must(t, err)
		must(t, tx.Commit(t.Context()))
	}
	_, err := d.Pool.Exec(t.Context(), "ANALYZE")
	must(t, err)
}

// TestLists_indexes: a page of a long list of our staff is answered by the index that fits its filter, never by reading all rows.
func TestLists_indexes(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	manyServers(t, d, 20_000)
	newest := page.Ask{Limit: page.DefaultLimit}
	for situation, c := range orderAsks() {
		seen, hook := watched(d, "orders")
		of, err := (&db.Orders{DB: seen}).List(t.Context(), c.f, newest)
		must(t, err)
		if len(of.Items) != page.DefaultLimit || !hook.by(c.index) {
			t.Errorf("orders, %s: %d, by\n%s", situation, len(of.Items), hook.text)
		}
	}
	for state, index := range map[server.State]string{"": "servers_pkey", server.Offline: "servers_", server.Online: "servers_"} {
		seen, hook := watched(d, "servers")
		of, err := (&db.Servers{DB: seen}).List(t.Context(), server.Filter{State: state}, newest)
		must(t, err)
		if len(of.Items) != page.DefaultLimit || !hook.by(index) {
			t.Errorf("servers, %q: %d, by\n%s", state, len(of.Items), hook.text)
		}
	}
	seen, hook := watched(d, "customers")
	of, err := (&db.Clientele{DB: seen}).List(t.Context(), newest)
	must(t, err)
	if len(of.Items) != page.DefaultLimit || !hook.by("customers_pkey") {
		t.Errorf("customers: %d, by\n%s", len(of.Items), hook.text)
	}
	for situation, c := range map[string]struct {
		f     job.Filter
		index string
	}{
		"all": {job.Filter{}, "river_job_pkey"}, "failed": {job.Filter{State: job.Failed}, "river_job_"},
		"a queue": {job.Filter{Queue: "default"}, "river_job_pkey"}, "a kind": {job.Filter{Kind: "send_mail"}, "river_job_"},
	} {
		seen, hook := watched(d, "river_job")
		of, err := (&db.RiverJobs{DB: seen}).List(t.Context(), c.f, job.Ask{Limit: page.DefaultLimit})
		must(t, err)
		if len(of.Items) != page.DefaultLimit || !hook.by(c.index) {
			t.Errorf("jobs, %s: %d, by\n%s", situation, len(of.Items), hook.text)
		}
	}
}

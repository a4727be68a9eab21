package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/db"
)

func orderList() Figure {
	return Figure{
		Name: "order_list_p95_ms", Unit: "ms", Goal: 20, Once: true, Take: takeOrderList,
		How: "one page of 50 of the list of 100,000 orders as the hub's code reads it, in this process, on a database of its own: for " +
			"each filter in each order, the first page and one further on; p95 of the slowest filter and order",
	}
}

// aside is a database of its own in the cluster: what stands in it is in nobody's way.
func (s *Stage) aside(ctx context.Context, name string) (*db.DB, func(), error) {
	conn, err := pgx.Connect(ctx, s.pg.DSN)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	u, err := url.Parse(s.dsn)
	if err != nil {
		return nil, nil, err
	}
	u.Path = "/" + name
	for _, q := range []string{"DROP DATABASE IF EXISTS " + name + " WITH (FORCE)", "CREATE DATABASE " + name} {
		if _, err := conn.Exec(ctx, q); err != nil {
			return nil, nil, err
		}
	}
	if err := db.Migrate(ctx, u.String()); err != nil {
		return nil, nil, err
	}
	d, err := db.Open(ctx, u.String())
	if err != nil {
		return nil, nil, err
	}
	return d, d.Close, nil
}

// listFilters narrow the list as its page does.
func listFilters(since time.Time) map[string]order.Filter {
	day := func(n int) time.Time { return since.AddDate(0, 0, n) }
	return map[string]order.Filter{
		"all": {}, "failed": {State: order.Failed}, "fulfilled": {State: order.Fulfilled}, "in progress": {State: order.Open},
		"late": {State: order.Late, Before: day(299)}, "manual": {Mode: order.Manual}, "provider": {Provider: "pool"},
		"region": {Region: order.NA}, "plan": {Plan: "enterprise"}, "a day": {From: day(100), To: day(101)},
		"a month": {From: day(100), To: day(130)}, "together": {Region: order.NA, State: order.Fulfilled, Mode: order.Auto},
	}
}

func takeOrderList(ctx context.Context, s *Stage) (Run, error) {
	d, done, err := s.aside(ctx, "order_list")
	if err != nil {
		return Run{}, fmt.Errorf("prepare a database: %w", err)
	}
	defer done()
	since := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	if err := fillOrders(ctx, d, s.count(100_000, 300), since); err != nil {
		return Run{}, fmt.Errorf("prepare orders: %w", err)
	}
	worst := Run{}
	n := 0
	for name, f := range listFilters(since) {
		for _, by := range order.Sorts() {
			for _, f.Sort = range []string{by, "-" + by} {
				took, err := listed(ctx, d, f, s.count(20, 2))
				if err != nil {
					return Run{}, fmt.Errorf("%s by %s: %w", name, f.Sort, err)
				}
				n += len(took)
				if v := percentile(took, 95); v > worst.Value {
					worst = Run{Value: v, Note: fmt.Sprintf("the slowest is %s by %s", name, f.Sort)}
				}
			}
		}
	}
	worst.N = n
	return worst, nil
}

// listed reads the first page and one further on, again and again.
func listed(ctx context.Context, d *db.DB, f order.Filter, times int) (took []time.Duration, err error) {
	store := &db.Orders{DB: d}
	for range times {
		for ask := (page.Ask{Limit: page.DefaultLimit}); ; {
			begun := time.Now()
			of, err := store.List(ctx, f, ask)
			if err != nil {
				return nil, err
			}
			took = append(took, time.Since(begun))
			if ask.After != "" || of.Next == "" {
				break
			}
			ask.After = of.Next
		}
	}
	if len(took) == 0 {
		return nil, errors.New("nothing was read")
	}
	return took, nil
}

// fillOrders makes orders of as many customers over 300 days: nine in ten are fulfilled, a few wait, fail or are called off.
func fillOrders(ctx context.Context, d *db.DB, n int, since time.Time) error {
	tx, err := d.Pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := tx.Exec(ctx, "SET LOCAL session_replication_role = replica"); err != nil { // the guards want each order to go its way
		return err
	}
	_, err = tx.Exec(ctx, `CREATE TEMP TABLE made ON COMMIT DROP AS SELECT i, gen_random_uuid() AS c, gen_random_uuid() AS u,
		gen_random_uuid() AS o, gen_random_uuid() AS s, $2::timestamptz + i * (interval '300 days' / $1::int) AS at,
		CASE WHEN i % 50 = 0 THEN 'FAILED' WHEN i % 20 = 1 THEN 'CANCELLED' WHEN i > $1::int - $1::int / 50 THEN 'PROVISIONING'
			ELSE 'FULFILLED' END AS state FROM generate_series(1, $1::int) AS i`, n, since)
	if err != nil {
		return err
	}
	for _, q := range []string{
		`INSERT INTO customers (id, name, time_zone, created_at) SELECT c, 'Shop ' || md5(i::text), 'Europe/Vienna', at FROM made`,
		`INSERT INTO users (id, customer_id, email, email_folded, name, role, password_hash, created_at)
			SELECT u, c, 'p' || i || '@example.com', 'p' || i || '@example.com', 'Somebody', 'owner', '` + noHash + `', at FROM made`,
		`INSERT INTO orders (id, customer_id, ordered_by, plan, price, currency, paid_by, region, slug, mode, state, failed_step, reason,
				server_id, created_at, updated_at, fulfilled_at, provider, customer_name)
			SELECT o, c, u, CASE WHEN i % 200 = 0 THEN 'enterprise' ELSE (ARRAY['lite', 'build', 'scale'])[1 + i % 3] END, 2900,
				'EUR', 'test', CASE WHEN i % 3 = 0 THEN 'na' ELSE 'eu' END, 'shop-' || i,
				CASE WHEN i % 40 = 0 THEN 'MANUAL' ELSE 'AUTO' END, state,
				CASE state WHEN 'FAILED' THEN 'AWAITING_SERVER' END, CASE state WHEN 'FAILED' THEN 'No machine.' ELSE '' END,
				CASE WHEN state IN ('FULFILLED', 'PROVISIONING') THEN s END, at, at + i % 97 * interval '1 minute',
				CASE state WHEN 'FULFILLED' THEN at END, CASE WHEN i % 30 = 0 THEN 'pool' ELSE '' END, 'Shop ' || md5(i::text) FROM made`,
	} {
		if _, err := tx.Exec(ctx, q); err != nil {
			return err
		}
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	_, err = d.Pool.Exec(ctx, "VACUUM ANALYZE")
	return err
}

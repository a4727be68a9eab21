package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/pricing"
	"gatehouse/db"
	"gatehouse/jobs"
)

func closePeriods() Figure {
	return Figure{
		Name: "close_periods_10000_s", Unit: "s", Goal: 60, Fsync: true, Once: true, Take: takeMonths, Control: bareMonthsControl(),
		How: "until the months of 10,000 customers that end at the same hour are closed, the next ones begun and all invoices issued, by " +
			"the chores of one hub in this process on a database of its own: 60 hours of usage in each, some of it premium, some beyond " +
			"the pool",
	}
}

// months is a hub's billing on a database of its own, at an hour in which all months are over.
type months struct {
	db    *db.DB
	bills *billing.Service
}

// monthEnds is when the months of fillMonths end.
var monthEnds = time.Date(2026, 4, 2, 8, 0, 0, 0, time.UTC)

func takeMonths(ctx context.Context, s *Stage) (Run, error) {
	d, done, err := s.aside(ctx, "months")
	if err != nil {
		return Run{}, fmt.Errorf("prepare a database: %w", err)
	}
	defer done()
	n := s.count(10_000, 300)
	m := &months{db: d}
	if err := m.fill(ctx, n); err != nil {
		return Run{}, fmt.Errorf("prepare months: %w", err)
	}
	began := time.Now()
	rounds, closed, billed := 0, 0, 0
	for closed < n || billed < n {
		if rounds++; rounds > 20 {
			return Run{}, fmt.Errorf("%d months are closed and %d are billed, of %d", closed, billed, n)
		}
		c, err := m.bills.CloseDue(ctx)
		if err != nil {
			return Run{}, err
		}
		b, err := m.bills.BillDue(ctx)
		if err != nil {
			return Run{}, err
		}
		closed, billed = closed+c, billed+b
	}
	return Run{Value: time.Since(began).Seconds(), N: n, Note: fmt.Sprintf("%d looks of the hub", rounds)}, m.check(ctx, n)
}

// check says whether each month has its invoice, over more than its plan.
func (m *months) check(ctx context.Context, n int) error {
	var invoices, lines, numbers int
	err := m.db.Pool.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE jsonb_array_length(lines) = 3 AND net > 2900),
		count(DISTINCT number) FROM invoices`).Scan(&invoices, &lines, &numbers)
	if err == nil && (invoices != n || lines != n || numbers != n) {
		err = fmt.Errorf("%d invoices, %d with three lines, of %d months", invoices, lines, n)
	}
	return err
}

// fill makes customers whose month ends then.
func (m *months) fill(ctx context.Context, n int) error {
	queue, err := jobs.NewQueue(m.db.Pool, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	from, now := monthEnds.AddDate(0, -1, 0), monthEnds.AddDate(0, -1, 0)
	m.bills = &billing.Service{
		Store: &db.Billing{DB: m.db, Jobs: queue}, Usage: &db.Usage{DB: m.db}, Now: func() time.Time { return now },
	}
	for _, e := range []struct{ kind, name, value string }{
		{"seller", "", `{"name": "Gatehouse Ltd", "address": "1 Street", "country": "AT", "vat_id": "ATU12345678", "due_days": 14}`},
		{"tax", "AT", `{"basis_points": 2000}`},
		{"model", "small", `{"input": 150000, "output": 600000, "cache_read": 15000, "cache_write": 187500, "class": "included"}`},
		{"model", "large", `{"input": 3000000, "output": 15000000, "cache_read": 300000, "cache_write": 3750000, "class": "premium"}`},
	} {
		err := m.bills.AddPrice(ctx, pricing.Entry{
			Kind: pricing.Kind(e.kind), Name: e.name, Value: json.RawMessage(e.value), ValidFrom: from, Reason: "For the figure.",
		}, audit.Actor{Kind: audit.Staff, ID: newID(), Name: "bench", Role: "OWNER"})
		if err != nil {
			return err
		}
	}
	if err := fillMonths(ctx, m.db, n, from); err != nil {
		return err
	}
	if _, err := m.db.Pool.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return err
	}
	now = monthEnds.Add(billing.Settle)
	return m.bills.AddPrice(ctx, pricing.Entry{
		Kind: pricing.KindRate, Name: "USD", Value: json.RawMessage("920000"), ValidFrom: monthEnds.Truncate(24 * time.Hour),
		Reason: "For the figure.",
	}, audit.Actor{Kind: audit.Staff, ID: newID(), Name: "bench", Role: "OWNER"})
}

// fillMonths makes customers with a server, a month that runs, and what was used in 60 hours of it.
func fillMonths(ctx context.Context, d *db.DB, n int, from time.Time) error {
	return filled(ctx, d, []string{
		`CREATE TEMP TABLE made ON COMMIT DROP AS SELECT i, gen_random_uuid() AS c, gen_random_uuid() AS u, gen_random_uuid() AS o,
			gen_random_uuid() AS s FROM generate_series(1, $1::int) AS i WHERE $2::timestamptz IS NOT NULL`,
		`INSERT INTO customers (id, name, time_zone, created_at)
			SELECT c, 'Shop ' || i, 'UTC', $2::timestamptz FROM made WHERE i <= $1::int`,
		`INSERT INTO users (id, customer_id, email, email_folded, name, role, password_hash, created_at)
			SELECT u, c, 'p' || i || '@example.com', 'p' || i || '@example.com', 'Somebody', 'owner', '` + noHash + `', $2::timestamptz
			FROM made WHERE i <= $1::int`,
		`INSERT INTO orders (id, customer_id, ordered_by, plan, price, currency, paid_by, region, slug, mode, state, server_id, created_at,
				updated_at, fulfilled_at)
			SELECT o, c, u, 'lite', 2900, 'EUR', 'test', 'eu', 'shop-' || i, 'AUTO', 'FULFILLED', s, $2::timestamptz, $2::timestamptz,
				$2::timestamptz FROM made WHERE i <= $1::int`,
		`INSERT INTO servers (id, customer_id, order_id, slug, provider, state, created_at)
			SELECT s, c, o, 'shop-' || i, 'local', 'new', $2::timestamptz FROM made WHERE i <= $1::int`,
		`INSERT INTO overage_choices (id, customer_id, overage, at, by_kind, by_name)
			SELECT gen_random_uuid(), c, true, $2::timestamptz, 'user', 'Somebody' FROM made WHERE i <= $1::int`,
		`INSERT INTO billing_periods (id, customer_id, number, anchor, from_at, to_at, full_to, state, plans)
			SELECT gen_random_uuid(), c, 1, $2::timestamptz, $2::timestamptz, $2::timestamptz + interval '31 days',
				$2::timestamptz + interval '31 days', 'ACTIVE', jsonb_build_array(jsonb_build_object('plan', 'lite', 'name', 'Lite',
				'monthly', 2900, 'pool', 8000000, 'from', $2::timestamptz)) FROM made WHERE i <= $1::int`,
		`INSERT INTO usage_buckets (server_id, epoch, hour, agent, parent, model, profile, key, customer_id, revision, requests, estimated,
				input, output, cache_read, cache_write, est_input, est_output, searches, fetches)
			SELECT s, 'one', $2::timestamptz + h * interval '12 hours', 'secretary', '', CASE WHEN h % 5 = 0 THEN 'large' ELSE 'small' END,
				'main', 'house', c, 1, 10, 0, 150000 + i % 1000, 50000, 300000, 10000, 0, 0, 2, 1
			FROM made, generate_series(0, 59) AS h WHERE i <= $1::int`,
	}, n, from)
}

// filled runs statements in one transaction, without the guards that want each row to go its way.
func filled(ctx context.Context, d *db.DB, queries []string, args ...any) error {
	tx, err := d.Pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := tx.Exec(ctx, "SET LOCAL session_replication_role = replica"); err != nil {
		return err
	}
	for _, q := range queries {
		if _, err := tx.Exec(ctx, q, args...); err != nil {
			return err
		}
	}
	return tx.Commit(ctx)
}

package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

// What closing and billing leaves behind of each month: a period that has changed twice, the next one, an invoice and three jobs.
const (
	bareMonthRows  = 7
	bareMonthBytes = 500
	bareMonthPart  = 25
	bareMonthsBy   = 4
)

func bareMonthsControl() *Control {
	return &Control{
		How: "as many rows as that leaves, as wide, inserted in as many transactions by as many at once into a table with two indexes, " +
			"after the 60 rows of each month were read: what Postgres and the disk cost",
		Take: takeBareMonths,
	}
}

func takeBareMonths(ctx context.Context, s *Stage) (Run, error) {
	d, done, err := s.aside(ctx, "bare")
	if err != nil {
		return Run{}, err
	}
	defer done()
	n := s.count(10_000, 300)
	if err := fillMonths(ctx, d, n, monthEnds.AddDate(0, -1, 0)); err != nil {
		return Run{}, err
	}
	for _, q := range []string{
		"CREATE TABLE bare_months (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int, body text)", "CREATE INDEX ON bare_months (n)",
		"VACUUM ANALYZE",
	} {
		if _, err := d.Pool.Exec(ctx, q); err != nil {
			return Run{}, err
		}
	}
	began := time.Now()
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(bareMonthsBy)
	for from := 0; from < n; from += bareMonthPart {
		g.Go(func() error {
			rows, err := d.Pool.Query(within, `SELECT b.* FROM usage_buckets AS b JOIN (SELECT id FROM customers ORDER BY id
				LIMIT $1::int OFFSET $2::int) AS c ON c.id = b.customer_id`, bareMonthPart, from)
			if err != nil {
				return err
			}
			if _, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() }); err != nil {
				return err
			}
			_, err = d.Pool.Exec(within, "INSERT INTO bare_months (n, body) SELECT $1::int + i, repeat('x', $3::int) "+
				"FROM generate_series(1, $2::int) AS i", from, bareMonthPart*bareMonthRows, bareMonthBytes)
			return err
		})
	}
	return Run{Value: time.Since(began).Seconds(), N: n}, g.Wait()
}

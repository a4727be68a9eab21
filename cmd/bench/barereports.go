package main

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"
)

func bareReportsControl() *Control {
	return &Control{
		How: "as many transactions by as many at once, each with one statement that inserts or replaces three rows as wide in a table " +
			"with the same indexes, and checks nothing: what Postgres and the disk cost",
		Take: takeBareReports,
	}
}

// bareRows replaces three rows of a server as often as it is told.
const bareRows = `INSERT INTO bare_usage SELECT md5('server ' || $1::int)::uuid, md5('customer ' || $1::int)::uuid, $2::timestamptz,
	'agent ' || a, 'instant', 'default', 'house', $3::bigint, $3::bigint, $3::bigint, $3::bigint, $3::bigint, $3::bigint
	FROM generate_series(1, 3) AS a ON CONFLICT (server, at, agent, model, profile, key) DO UPDATE SET n1 = excluded.n1,
	n2 = excluded.n2, n3 = excluded.n3, n4 = excluded.n4, n5 = excluded.n5, n6 = excluded.n6`

func takeBareReports(ctx context.Context, s *Stage) (Run, error) {
	_, err := s.db.Pool.Exec(ctx, `CREATE TABLE bare_usage (server uuid, customer uuid, at timestamptz, agent text, model text,
		profile text, key text, n1 bigint, n2 bigint, n3 bigint, n4 bigint, n5 bigint, n6 bigint,
		PRIMARY KEY (server, at, agent, model, profile, key))`)
	if err == nil {
		_, err = s.db.Pool.Exec(ctx, "CREATE INDEX ON bare_usage (customer, at)")
	}
	if err != nil {
		return Run{}, err
	}
	servers, hour := s.count(usageServers, 40), time.Now().UTC().Truncate(time.Hour)
	began := time.Now()
	for round := range usageEach {
		g, within := errgroup.WithContext(ctx)
		g.SetLimit(usageAtOnce)
		for n := range servers {
			g.Go(func() error {
				_, err := s.db.Pool.Exec(within, bareRows, n, hour, int64(round+1))
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return Run{}, err
		}
	}
	n := usageEach * servers
	run := Run{Value: float64(n) / time.Since(began).Seconds(), N: n}
	_, err = s.db.Pool.Exec(ctx, "DROP TABLE bare_usage")
	return run, err
}

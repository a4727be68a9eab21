package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

func usagePage() Figure {
	return Figure{
		Name: "usage_page_p95_ms", Unit: "ms", Goal: 30, Once: true, Take: takeUsagePage,
		How: "/app/usage of a month, a week and a day, and the first and a narrowed page of its hours, in turn, signed in by cookie, " +
			"with 10 million rows of usage of 10,000 customers in store, 1,000 of them this customer's; request sent until the whole " +
			"page is read; p95 of all",
	}
}

// usedEach is how many rows of usage each customer has: in 45 days one each hour and one more.
const usedEach = 1000

func takeUsagePage(ctx context.Context, s *Stage) (Run, error) {
	customers := s.count(10_000, 20)
	if err := s.fillUsage(ctx, customers); err != nil {
		return Run{}, fmt.Errorf("prepare usage: %w", err)
	}
	run, err := s.readUsage(ctx)
	if err != nil {
		return run, err
	}
	bare, err := s.bareUsage(ctx)
	if err != nil {
		return run, err
	}
	run.Note += fmt.Sprintf("; a thousand rows read bare within %.2f ms", bare)
	_, err = s.db.Pool.Exec(ctx, "TRUNCATE usage_buckets")
	return run, err
}

func (s *Stage) readUsage(ctx context.Context) (Run, error) {
	c, err := s.browser(ctx)
	if err != nil {
		return Run{}, err
	}
	defer c.Close()
	paths := []string{
		"/app/usage", "/app/usage?range=week", "/app/usage?range=day", "/app/usage/breakdown", "/app/usage/breakdown?agent=secretary",
	}
	took := map[string][]time.Duration{}
	var all []time.Duration
	for i := range s.count(40, 3) + 2 {
		for _, path := range paths {
			start := time.Now()
			if _, err := c.do(http.MethodGet, path, nil, http.StatusOK); err != nil {
				return Run{}, err
			}
			if i >= 2 { // the first two warm up
				took[path], all = append(took[path], time.Since(start)), append(all, time.Since(start))
			}
		}
	}
	return Run{Value: percentile(all, 95), N: len(all), Note: slowest(paths, took)}, nil
}

// fillUsage adds what so many customers used in the last 45 days, hour by hour as it is reported; the demo's customer is one of them.
func (s *Stage) fillUsage(ctx context.Context, customers int) error {
	const parts = 100 // of the time, so that no statement takes minutes
	for part := range parts {
		err := filled(ctx, s.db, []string{`INSERT INTO usage_buckets (server_id, epoch, hour, agent, parent, model, profile, key,
				customer_id, revision, requests, estimated, input, output, cache_read, cache_write, est_input, est_output, searches,
				fetches)
			SELECT md5('server ' || i)::uuid, 'bench', date_trunc('hour', now(), 'UTC') - (r * 65 / 60) * interval '1 hour',
				(ARRAY['dispatcher', 'secretary', 'it-admin'])[1 + r % 3], '', (ARRAY['small', 'mid', 'large'])[1 + r % 2 + r % 11 / 10],
				'main', 'house', CASE i WHEN 1 THEN $4::uuid ELSE md5('customer ' || i)::uuid END, 1, 10, 0, 1000 + r, 200, 5000, 100,
				0, 0, 1, 1
			FROM generate_series($2::int, $3::int - 1) AS r, generate_series(1, $1::int) AS i`},
			customers, part*usedEach/parts, (part+1)*usedEach/parts, s.owner.CustomerID)
		if err != nil {
			return err
		}
	}
	_, err := s.db.Pool.Exec(ctx, "VACUUM ANALYZE usage_buckets")
	return err
}

package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// bareUsage reads a customer's thousand rows by their index, and neither adds up nor draws anything: what Postgres costs; p95.
func (s *Stage) bareUsage(ctx context.Context) (float64, error) {
	var took []time.Duration
	for range s.count(200, 15) {
		at := time.Now()
		rows, err := s.db.Pool.Query(ctx, "SELECT hour, agent, model, input, output FROM usage_buckets WHERE customer_id = $1",
			s.owner.CustomerID)
		if err != nil {
			return 0, err
		}
		if _, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() }); err != nil {
			return 0, err
		}
		took = append(took, time.Since(at))
	}
	return percentile(took, 95), nil
}

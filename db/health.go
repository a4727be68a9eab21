package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Health is how the database and the queue in it are.
type Health struct {
	Version     string // of the server
	Now         time.Time
	Connections int
	Room        int           // how many connections the server takes
	Waits       time.Duration // of the queued job that waits longest although its time has come
	Failing     int           // jobs that failed and are tried again
	Lost        int           // jobs that were given up within a day
	Bytes       int64
}

// Health asks the database how it is.
func (d *DB) Health(ctx context.Context) (h Health, err error) {
	var waits float64
	err = d.Pool.QueryRow(ctx, `SELECT current_setting('server_version'), now(), current_setting('max_connections')::int,
		(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'), pg_database_size(current_database()),
		coalesce((SELECT extract(epoch FROM now() - min(scheduled_at)) FROM river_job
			WHERE state = 'available' AND scheduled_at < now()), 0)::float8,
		(SELECT count(*) FROM river_job WHERE state = 'retryable'),
		(SELECT count(*) FROM river_job WHERE state = 'discarded' AND finalized_at > now() - interval '1 day')`).Scan(
		&h.Version, &h.Now, &h.Room, &h.Connections, &h.Bytes, &waits, &h.Failing, &h.Lost)
	h.Waits = time.Duration(waits * float64(time.Second))
	if err != nil {
		return h, fmt.Errorf("health of the database: %w", toFault(err))
	}
	return h, nil
}

// Names lists the secrets that there are, and those that this key file does not open.
func (s *HubSecrets) Names(ctx context.Context) (all, closed []string, err error) {
	rows, err := s.DB.pgx(ctx).Query(ctx, "SELECT name, sealed FROM hub_secrets ORDER BY name")
	if err != nil {
		return nil, nil, fmt.Errorf("secrets of the hub: %w", toFault(err))
	}
	var name string
	var box []byte
	_, err = pgx.ForEachRow(rows, []any{&name, &box}, func() error {
		all = append(all, name)
		if _, err := s.Keys.Open("hub_secrets", name, "sealed", box); errors.Is(err, ErrSealed) {
			closed = append(closed, name)
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("secrets of the hub: %w", toFault(err))
	}
	return all, closed, nil
}

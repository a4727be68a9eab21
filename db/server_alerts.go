package db

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"gatehouse/agentd/wire"
	"gatehouse/app/server"
)

// Alerts keeps what a person should know about servers.
type Alerts struct{ DB *DB }

// Raise adds an alert, in the transaction of ctx.
func (s *Alerts) Raise(ctx context.Context, id server.ID, a wire.Alert, at time.Time) error {
	key, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("raise alert: %w", err)
	}
	_, err = s.DB.pgx(ctx).Exec(ctx, "INSERT INTO server_alerts (id, server_id, kind, severity, text, at, raised_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		cached, key.String(), string(id), a.Kind, a.Severity, a.Text, a.Time, at)
	if err != nil {
		return fmt.Errorf("raise alert: %w", toFault(err))
	}
	return nil
}

// List gives the newest alerts of a server, newest first.
func (s *Alerts) List(ctx context.Context, id server.ID, limit int) ([]wire.Alert, error) {
	rows, err := s.DB.pgx(ctx).Query(ctx, "SELECT kind, severity, text, at FROM server_alerts WHERE server_id = $1 ORDER BY id DESC LIMIT $2",
		cached, string(id), limit)
	if err != nil {
		return nil, fmt.Errorf("list alerts: %w", toFault(err))
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[wire.Alert])
	if err != nil {
		return nil, fmt.Errorf("list alerts: %w", toFault(err))
	}
	return list, nil
}

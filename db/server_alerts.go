package db

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"gatehouse/agentd/wire"
	"gatehouse/app/server"
)

// Alerts keeps what a person should know about servers.
type Alerts struct{ DB *DB }

// alertRow mirrors table server_alerts.
type alertRow struct {
	bun.BaseModel `bun:"table:server_alerts,alias:al"`
	ID            string    `bun:"id,pk"`
	ServerID      string    `bun:"server_id"`
	Kind          string    `bun:"kind"`
	Severity      string    `bun:"severity"`
	Text          string    `bun:"text"`
	At            time.Time `bun:"at"`
	RaisedAt      time.Time `bun:"raised_at"`
}

func (r alertRow) alert() wire.Alert {
	return wire.Alert{Kind: r.Kind, Severity: r.Severity, Text: r.Text, Time: r.At}
}

// Raise adds an alert, in the transaction of ctx.
func (s *Alerts) Raise(ctx context.Context, id server.ID, a wire.Alert, at time.Time) error {
	key, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("raise alert: %w", err)
	}
	row := &alertRow{
		ID: key.String(), ServerID: string(id), Kind: a.Kind, Severity: a.Severity, Text: a.Text, At: a.Time, RaisedAt: at,
	}
	if _, err := s.DB.bun(ctx).NewInsert().Model(row).Exec(ctx); err != nil {
		return fmt.Errorf("raise alert: %w", toFault(err))
	}
	return nil
}

// List gives the newest alerts of a server, newest first.
func (s *Alerts) List(ctx context.Context, id server.ID, limit int) ([]wire.Alert, error) {
	var rows []alertRow
	err := s.DB.bun(ctx).NewSelect().Model(&rows).Where("al.server_id = ?", id).Order("al.id DESC").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list alerts: %w", toFault(err))
	}
	return each(rows, alertRow.alert), nil
}

// RaiseOnce adds an alert, unless one of its kind was added for the server since a time.
func (s *Alerts) RaiseOnce(ctx context.Context, id server.ID, a wire.Alert, at, since time.Time) error {
	known, err := s.DB.bun(ctx).NewSelect().Model((*alertRow)(nil)).Where("al.server_id = ?", id).Where("al.kind = ?", a.Kind).
		Where("al.raised_at > ?", since).Exists(ctx)
	if err != nil {
		return fmt.Errorf("look for alert: %w", toFault(err))
	}
	if known {
		return nil
	}
	return s.Raise(ctx, id, a, at)
}

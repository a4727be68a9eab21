package db

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/server"
)

// Beat stores a heartbeat and sets the state, and returns the server as it was before.
func (s *Servers) Beat(ctx context.Context, id server.ID, b wire.Heartbeat, now time.Time) (server.Server, error) {
	raw, err := json.Marshal(b)
	if err != nil {
		return server.Server{}, fmt.Errorf("heartbeat: %w", err)
	}
	var row serverRow
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if err := tx.NewSelect().Model(&row).Where("s.id = ?", id).Where("s.registered_at IS NOT NULL").For("UPDATE").Scan(ctx); err != nil {
			return fmt.Errorf("load server: %w", toFault(err))
		}
		if !row.RevokedAt.IsZero() {
			return server.ErrRevoked
		}
		_, err := tx.NewUpdate().Model((*serverRow)(nil)).Set("beat = ?", string(raw)).Set("beat_at = ?", now).
			Set("state = ?", server.Online).Set("agentd_version = ?", b.AgentdVersion).Where("s.id = ?", id).Exec(ctx)
		return toFault(err)
	})
	return row.server(), err
}

// Quiet lists servers in state online or degraded whose last heartbeat came before.
func (s *Servers) Quiet(ctx context.Context, before time.Time) ([]server.Server, error) {
	var rows []serverRow
	err := s.DB.NewSelect().Model(&rows).Where("s.state IN ('online', 'degraded')").Where("s.beat_at < ?", before).
		Order("s.beat_at").Limit(1000).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list quiet servers: %w", toFault(err))
	}
	return each(rows, serverRow.server), nil
}

// SetState moves a server from one state to another, unless a heartbeat came after seen.
func (s *Servers) SetState(ctx context.Context, id server.ID, from, to server.State, seen time.Time) (bool, error) {
	res, err := s.DB.NewUpdate().Model((*serverRow)(nil)).Set("state = ?", to).
		Where("s.id = ?", id).Where("s.state = ?", from).Where("s.beat_at <= ?", seen).Exec(ctx)
	if err != nil {
		return false, fmt.Errorf("set server state: %w", toFault(err))
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

package db

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/server"
)

// beatSQL stores a heartbeat and what it measured, and gives the server as it was before. It is one statement, and so one
// transaction: thousands of servers send a heartbeat every 30 seconds.
const beatSQL = `WITH was AS (
		SELECT * FROM servers WHERE id = @server AND registered_at IS NOT NULL FOR UPDATE
	), lives AS (
		UPDATE servers AS s SET beat = @beat, beat_at = @at, state = 'online', agentd_version = @version
		FROM was WHERE s.id = was.id AND was.revoked_at IS NULL RETURNING s.id
	), kept AS (
		INSERT INTO server_history (server_id, step, at, cpu, mem, disk, net_in, net_out, containers)
		SELECT id, 0, @at, @cpu::real, @mem::real, @disk::real, @net_in::real, @net_out::real, @containers::real FROM lives ON CONFLICT DO NOTHING
	)
	SELECT was.id::text, was.customer_id::text, was.state, was.beat, coalesce(was.beat_at, 'epoch'), was.revoked_at IS NOT NULL FROM was`

// Beat stores a heartbeat with what it measured and sets the state, and returns what is compared of the server as it was
// before: its id, customer, state and heartbeat.
func (s *Servers) Beat(ctx context.Context, id server.ID, b wire.Heartbeat, now time.Time) (server.Server, error) {
	raw, err := json.Marshal(b)
	if err != nil {
		return server.Server{}, fmt.Errorf("heartbeat: %w", err)
	}
	m := server.SampleOf(b)
	var row serverRow
	var revoked bool
	err = s.DB.pgx(ctx).QueryRow(ctx, beatSQL, cached, named{
		"server": id, "beat": string(raw), "at": now, "version": b.AgentdVersion,
		"cpu": m.CPU, "mem": m.Mem, "disk": m.Disk, "net_in": m.NetIn, "net_out": m.NetOut, "containers": m.Containers,
	}).Scan(&row.ID, &row.CustomerID, &row.State, &row.Beat, &row.BeatAt, &revoked)
	if err != nil {
		return server.Server{}, fmt.Errorf("store heartbeat: %w", toFault(err))
	}
	if revoked {
		return row.server(), server.ErrRevoked
	}
	return row.server(), nil
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

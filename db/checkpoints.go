package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/agentd/wire"
	"gatehouse/app/receipt"
	"gatehouse/app/server"
)

// Checkpoints keeps the signed heads of servers' logs. It is receipt.Store.
type Checkpoints struct{ DB *DB }

var _ receipt.Store = (*Checkpoints)(nil)

const checkpointSelect = "SELECT seq, hash, time, key_id, signature FROM checkpoints WHERE server_id = $1 "

// Head is the newest checkpoint of a server; Seq is 0 before the first.
func (s *Checkpoints) Head(ctx context.Context, id server.ID) (wire.Checkpoint, error) {
	return s.one(ctx, checkpointSelect+"ORDER BY seq DESC LIMIT 1", string(id))
}

// At is the checkpoint of that number; Seq is 0 when there is none.
func (s *Checkpoints) At(ctx context.Context, id server.ID, seq int64) (wire.Checkpoint, error) {
	return s.one(ctx, checkpointSelect+"AND seq = $2", string(id), seq)
}

func (s *Checkpoints) one(ctx context.Context, sql string, args ...any) (wire.Checkpoint, error) {
	rows, err := s.DB.reader(ctx).Query(ctx, sql, append([]any{cached}, args...)...)
	if err != nil {
		return wire.Checkpoint{}, fmt.Errorf("load checkpoint: %w", toFault(err))
	}
	c, err := pgx.CollectOneRow(rows, scanCheckpoint)
	if errors.Is(err, pgx.ErrNoRows) {
		return wire.Checkpoint{}, nil
	}
	if err != nil {
		return wire.Checkpoint{}, fmt.Errorf("load checkpoint: %w", toFault(err))
	}
	return c, nil
}

func scanCheckpoint(row pgx.CollectableRow) (c wire.Checkpoint, err error) {
	var at string
	if err := row.Scan(&c.Seq, &c.Hash, &at, &c.KeyID, &c.Signature); err != nil {
		return c, err
	}
	c.Time, err = time.Parse(time.RFC3339Nano, at)
	return c, err
}

// Add keeps a checkpoint for good. Its time is kept as text, for the signature covers every digit of it.
func (s *Checkpoints) Add(ctx context.Context, id server.ID, c wire.Checkpoint, at time.Time) error {
	_, err := s.DB.reader(ctx).Exec(ctx, `INSERT INTO checkpoints (server_id, seq, hash, time, key_id, signature, received_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, cached,
		string(id), c.Seq, c.Hash, c.Time.UTC().Format(time.RFC3339Nano), c.KeyID, c.Signature, at)
	if err != nil {
		return fmt.Errorf("store checkpoint: %w", toFault(err))
	}
	return nil
}

// List gives the newest checkpoints of a server, newest first.
func (s *Checkpoints) List(ctx context.Context, id server.ID, limit int) ([]wire.Checkpoint, error) {
	rows, err := s.DB.reader(ctx).Query(ctx, checkpointSelect+"ORDER BY seq DESC LIMIT $2", cached, string(id), limit)
	if err != nil {
		return nil, fmt.Errorf("list checkpoints: %w", toFault(err))
	}
	list, err := pgx.CollectRows(rows, scanCheckpoint)
	if err != nil {
		return nil, fmt.Errorf("list checkpoints: %w", toFault(err))
	}
	return list, nil
}

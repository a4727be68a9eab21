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

// Checkpoints keeps the signed heads of servers' logs, and which servers are on hold. It is receipt.Store.
type Checkpoints struct{ DB *DB }

var _ receipt.Store = (*Checkpoints)(nil)

// history is which history of its log a server is in: a released hold begins the next.
const history = "(SELECT count(*) FROM receipt_holds h WHERE h.server_id = $1 AND h.released_at IS NOT NULL)"

const checkpointSelect = "SELECT seq, hash, prev_seq, prev_hash, time, key_id, signature FROM checkpoints WHERE server_id = $1 AND key_id = $2 AND history = " + history + " "

// Head is the newest checkpoint of a log; Seq is 0 before the first.
func (s *Checkpoints) Head(ctx context.Context, l receipt.Log) (wire.Checkpoint, error) {
	return s.one(ctx, checkpointSelect+"ORDER BY seq DESC LIMIT 1", string(l.Server), l.KeyID)
}

// At is the checkpoint of that number; Seq is 0 when there is none.
func (s *Checkpoints) At(ctx context.Context, l receipt.Log, seq int64) (wire.Checkpoint, error) {
	return s.one(ctx, checkpointSelect+"AND seq = $3", string(l.Server), l.KeyID, seq)
}

func (s *Checkpoints) one(ctx context.Context, sql string, args ...any) (wire.Checkpoint, error) {
	rows, err := s.DB.pgx(ctx).Query(ctx, sql, append([]any{cached}, args...)...)
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
	if err := row.Scan(&c.Seq, &c.Hash, &c.PrevSeq, &c.PrevHash, &at, &c.KeyID, &c.Signature); err != nil {
		return c, err
	}
	c.Time, err = time.Parse(time.RFC3339Nano, at)
	return c, err
}

// Add keeps a checkpoint for good. Its time is kept as text, for the signature covers every digit of it.
func (s *Checkpoints) Add(ctx context.Context, id server.ID, c wire.Checkpoint, at time.Time) error {
	_, err := s.DB.pgx(ctx).Exec(ctx, `INSERT INTO checkpoints (server_id, seq, hash, prev_seq, prev_hash, time, key_id, signature, received_at, history)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, `+history+`)`, cached,
		string(id), c.Seq, c.Hash, c.PrevSeq, c.PrevHash, c.Time.UTC().Format(time.RFC3339Nano), c.KeyID, c.Signature, at)
	if err != nil {
		return fmt.Errorf("store checkpoint: %w", toFault(err))
	}
	return nil
}

// List gives the newest checkpoints of a log, newest first.
func (s *Checkpoints) List(ctx context.Context, l receipt.Log, limit int) ([]wire.Checkpoint, error) {
	rows, err := s.DB.pgx(ctx).Query(ctx, checkpointSelect+"ORDER BY seq DESC LIMIT $3", cached, string(l.Server), l.KeyID, limit)
	if err != nil {
		return nil, fmt.Errorf("list checkpoints: %w", toFault(err))
	}
	list, err := pgx.CollectRows(rows, scanCheckpoint)
	if err != nil {
		return nil, fmt.Errorf("list checkpoints: %w", toFault(err))
	}
	return list, nil
}

package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/agentd/wire"
	"gatehouse/app/receipt"
	"gatehouse/app/server"
)

// Checkpoints keeps the signed heads of servers' logs, and which servers are on hold. It is receipt.Store.
type Checkpoints struct{ DB *DB }

var _ receipt.Store = (*Checkpoints)(nil)

// checkpointRow mirrors table checkpoints.
type checkpointRow struct {
	bun.BaseModel `bun:"table:checkpoints,alias:cp"`
	ServerID      string    `bun:"server_id,pk"`
	History       int64     `bun:"history,pk"` // counts the released holds before
	KeyID         string    `bun:"key_id,pk"`
	Seq           int64     `bun:"seq,pk"`
	Hash          string    `bun:"hash"`
	PrevSeq       int64     `bun:"prev_seq"`
	PrevHash      string    `bun:"prev_hash"`
	Time          string    `bun:"time"` // text: the signature covers every digit of it
	Signature     string    `bun:"signature"`
	ReceivedAt    time.Time `bun:"received_at"`
}

func toCheckpointRow(id server.ID, c wire.Checkpoint, at time.Time) *checkpointRow {
	return &checkpointRow{
		ServerID: string(id), KeyID: c.KeyID, Seq: c.Seq, Hash: c.Hash, PrevSeq: c.PrevSeq, PrevHash: c.PrevHash,
		Time: c.Time.UTC().Format(time.RFC3339Nano), Signature: c.Signature, ReceivedAt: at,
	}
}

func (r checkpointRow) checkpoint() (wire.Checkpoint, error) {
	at, err := time.Parse(time.RFC3339Nano, r.Time)
	return wire.Checkpoint{
		Seq: r.Seq, Hash: r.Hash, PrevSeq: r.PrevSeq, PrevHash: r.PrevHash, Time: at, KeyID: r.KeyID, Signature: r.Signature,
	}, err
}

// Head is the newest checkpoint of a log; Seq is 0 before the first.
func (s *Checkpoints) Head(ctx context.Context, l receipt.Log) (wire.Checkpoint, error) {
	return s.one(ctx, s.of(ctx, l).Order("cp.seq DESC").Limit(1))
}

// At is the checkpoint of that number; Seq is 0 when there is none.
func (s *Checkpoints) At(ctx context.Context, l receipt.Log, seq int64) (wire.Checkpoint, error) {
	return s.one(ctx, s.of(ctx, l).Where("cp.seq = ?", seq))
}

// of selects the checkpoints of a log in the history that its server is in.
func (s *Checkpoints) of(ctx context.Context, l receipt.Log) *bun.SelectQuery {
	return s.DB.bun(ctx).NewSelect().Where("cp.server_id = ?", l.Server).Where("cp.key_id = ?", l.KeyID).
		Where("cp.history = (?)", s.history(ctx, l.Server))
}

// history is which history of its log a server is in: a released hold begins the next.
func (s *Checkpoints) history(ctx context.Context, id server.ID) *bun.SelectQuery {
	return s.DB.bun(ctx).NewSelect().Model((*holdRow)(nil)).ColumnExpr("count(*)").
		Where("h.server_id = ?", id).Where("h.released_at IS NOT NULL")
}

func (s *Checkpoints) one(ctx context.Context, q *bun.SelectQuery) (wire.Checkpoint, error) {
	var row checkpointRow
	err := toFault(q.Model(&row).Scan(ctx))
	if errors.Is(err, ErrNotFound) {
		return wire.Checkpoint{}, nil
	}
	if err != nil {
		return wire.Checkpoint{}, fmt.Errorf("load checkpoint: %w", err)
	}
	return row.checkpoint()
}

// Add keeps a checkpoint for good.
func (s *Checkpoints) Add(ctx context.Context, id server.ID, c wire.Checkpoint, at time.Time) error {
	_, err := s.DB.bun(ctx).NewInsert().Model(toCheckpointRow(id, c, at)).Value("history", "(?)", s.history(ctx, id)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("store checkpoint: %w", toFault(err))
	}
	return nil
}

// List gives the newest checkpoints of a log, newest first.
func (s *Checkpoints) List(ctx context.Context, l receipt.Log, limit int) ([]wire.Checkpoint, error) {
	var rows []checkpointRow
	if err := s.of(ctx, l).Model(&rows).Order("cp.seq DESC").Limit(int64(limit)).Scan(ctx); err != nil {
		return nil, fmt.Errorf("list checkpoints: %w", toFault(err))
	}
	list, err := eachOrErr(rows, checkpointRow.checkpoint)
	if err != nil {
		return nil, fmt.Errorf("list checkpoints: %w", err)
	}
	return list, nil
}

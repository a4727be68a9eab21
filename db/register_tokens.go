package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/server"
)

// registerTokenRow mirrors table register_tokens.
type registerTokenRow struct {
	bun.BaseModel `bun:"table:register_tokens,alias:rt"`
	ServerID      string    `bun:"server_id,pk"`
	Hash          []byte    `bun:"hash"`
	CreatedAt     time.Time `bun:"created_at"`
	ExpiresAt     time.Time `bun:"expires_at"`
	UsedAt        time.Time `bun:"used_at,nullzero"`
}

// SetToken makes t the one registration token of its server.
func (s *Servers) SetToken(ctx context.Context, t server.Token) error {
	row := &registerTokenRow{ServerID: string(t.ServerID), Hash: t.Hash, CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt}
	_, err := s.DB.NewInsert().Model(row).On("CONFLICT (server_id) DO UPDATE").
		Set("hash = EXCLUDED.hash").Set("created_at = EXCLUDED.created_at").Set("expires_at = EXCLUDED.expires_at").
		Set("used_at = NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("store registration token: %w", toFault(err))
	}
	return nil
}

// Register uses the token up and stores the keys, both or neither. Many at once meet at the lock on the token: the first
// wins, the others find it used.
func (s *Servers) Register(ctx context.Context, hash []byte, k server.Keys, now time.Time) (server.Server, error) {
	var row serverRow
	err := s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var t registerTokenRow
		err := toFault(tx.NewSelect().Model(&t).Where("rt.hash = ?", hash).For("UPDATE").Scan(ctx))
		if errors.Is(err, ErrNotFound) {
			return server.ErrToken
		}
		if err != nil {
			return fmt.Errorf("load registration token: %w", err)
		}
		if err := tx.NewSelect().Model(&row).Where("s.id = ?", t.ServerID).For("UPDATE").Scan(ctx); err != nil {
			return fmt.Errorf("load server: %w", toFault(err))
		}
		if !row.RevokedAt.IsZero() {
			return server.ErrRevoked
		}
		if !now.Before(t.ExpiresAt) {
			return server.ErrToken
		}
		if !t.UsedAt.IsZero() {
			return sameKeys(row, k)
		}
		return storeKeys(ctx, tx, &row, k, now)
	})
	return row.server(), err
}

// sameKeys lets the server that used the token hear the answer again, and nobody else.
func sameKeys(row serverRow, k server.Keys) error {
	if row.PublicKey == k.Public && row.SealKey == k.Seal {
		return nil
	}
	return server.ErrToken
}

func storeKeys(ctx context.Context, tx bun.IDB, row *serverRow, k server.Keys, now time.Time) error {
	row.PublicKey, row.KeyID, row.SealKey, row.AgentdVersion, row.RegisteredAt = k.Public, k.KeyID, k.Seal, k.AgentdVersion, now
	_, err := tx.NewUpdate().Model(row).Column("public_key", "key_id", "seal_key", "agentd_version", "registered_at").WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("store keys: %w", toFault(err))
	}
	_, err = tx.NewUpdate().Model((*registerTokenRow)(nil)).Set("used_at = ?", now).Where("rt.server_id = ?", row.ID).Exec(ctx)
	return toFault(err)
}

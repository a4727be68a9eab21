package db

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/server"
)

// SetLinkKey makes next the key that opens the link of a server, if old still is, and records e; false otherwise.
func (s *Servers) SetLinkKey(ctx context.Context, id server.ID, old, next string, now time.Time, e audit.Entry) (ok bool, err error) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := tx.NewUpdate().Model((*serverRow)(nil)).Set("link_key = ?", next).Set("link_key_at = ?", now).
			Where("s.id = ?", id).Where("s.revoked_at IS NULL").Where("coalesce(s.link_key, s.public_key) = ?", old).Exec(ctx)
		if err != nil {
			return fmt.Errorf("store link key: %w", toFault(err))
		}
		n, err := res.RowsAffected()
		if ok = n == 1; err != nil || !ok {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
	return ok, err
}

// OldLinkKeys lists servers that are online with a key from before, which were not asked for a new one since tried, and notes
// that they are asked now. Two hubs at once get different ones.
func (s *Servers) OldLinkKeys(ctx context.Context, before, tried, now time.Time, limit int) ([]server.Server, error) {
	var rows []serverRow
	due := s.DB.NewSelect().Model((*serverRow)(nil)).Column("s.id").Where("s.state = 'online'").
		Where("coalesce(s.link_key_at, s.registered_at) < ?", before).Where("s.link_key_tried IS NULL OR s.link_key_tried < ?", tried).
		OrderExpr("coalesce(s.link_key_at, s.registered_at)").Limit(int64(limit)).For("UPDATE SKIP LOCKED")
	err := s.DB.NewUpdate().Model(&rows).Set("link_key_tried = ?", now).Where("s.id IN (?)", due).Returning("*").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list old link keys: %w", toFault(err))
	}
	return each(rows, serverRow.server), nil
}

package db

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/server"
)

// ChannelHooks knows to which server an address belongs to which a messenger brings messages. It is channel.Hooks and hook.Doors.
type ChannelHooks struct{ DB *DB }

// channelHookRow mirrors table channel_hooks.
type channelHookRow struct {
	bun.BaseModel `bun:"table:channel_hooks,alias:h"`
	Hash          []byte    `bun:"hash,pk"`
	ServerID      string    `bun:"server_id"`
	Channel       string    `bun:"channel"`
	CreatedAt     time.Time `bun:"created_at,nullzero,default:now()"`
}

func hookHash(hook string) []byte {
	sum := sha256.Sum256([]byte(hook))
	return sum[:]
}

// Learn keeps the address of a server's channel in the place of the one it had; empty: it has none. An address of another server stays
// with that one.
func (s *ChannelHooks) Learn(ctx context.Context, of server.ID, channel, hook string) error {
	if hook == "" {
		_, err := s.DB.NewDelete().Model((*channelHookRow)(nil)).Where("h.server_id = ?", of).Where("h.channel = ?", channel).Exec(ctx)
		return toFault(err)
	}
	known, err := s.DB.NewSelect().Model((*channelHookRow)(nil)).Where("h.hash = ?", hookHash(hook)).Exists(ctx)
	if err != nil || known {
		return toFault(err)
	}
	row := &channelHookRow{Hash: hookHash(hook), ServerID: string(of), Channel: channel}
	_, err = s.DB.NewInsert().Model(row).On("CONFLICT (server_id, channel) DO UPDATE").
		Set("hash = EXCLUDED.hash").Set("created_at = now()").Exec(ctx)
	return toFault(err)
}

// ServerAt is the server to which an address belongs; empty: it is nobody's.
func (s *ChannelHooks) ServerAt(ctx context.Context, hook string) (server.ID, error) {
	var row channelHookRow
	err := s.DB.NewSelect().Model(&row).Where("h.hash = ?", hookHash(hook)).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("find address of a channel: %w", toFault(err))
	}
	return server.ID(row.ServerID), nil
}

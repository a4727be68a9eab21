package db

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// checkRiver refuses data whose queue tables are newer than the queue in this program.
func checkRiver(ctx context.Context, conn *pgx.Conn) error {
	var there bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass('river_migration') IS NOT NULL").Scan(&there); err != nil || !there {
		return err
	}
	var version int
	if err := conn.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM river_migration").Scan(&version); err != nil {
		return fmt.Errorf("look at queue: %w", err)
	}
	m, err := rivermigrate.New(riverpgxv5.New(nil), nil)
	if err != nil {
		return fmt.Errorf("look at queue: %w", err)
	}
	all := m.AllVersions()
	if known := all[len(all)-1].Version; version > known {
		return fmt.Errorf("%w: its queue stands at version %d, this program knows up to %d; run the newer program, nothing was touched",
			ErrNewer, version, known)
	}
	return nil
}

// migrateRiver brings the tables of the queue up to date.
func migrateRiver(ctx context.Context, dsn string) error {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return fmt.Errorf("migrate queue: %w", err)
	}
	defer pool.Close()
	m, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	if err != nil {
		return fmt.Errorf("migrate queue: %w", err)
	}
	return nil
}

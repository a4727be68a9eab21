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
func checkRiver(ctx context.Context, dsn string) error {
	return withRiver(ctx, dsn, func(m *rivermigrate.Migrator[pgx.Tx]) error {
		there, err := m.ExistingVersions(ctx)
		if err != nil {
			return err
		}
		all := m.AllVersions()
		known := all[len(all)-1].Version
		for _, v := range there {
			if v.Version > known {
				return fmt.Errorf("%w: its queue stands at version %d, this program knows up to %d; run the newer program, nothing was touched", ErrNewer, v.Version, known)
			}
		}
		return nil
	})
}

// migrateRiver brings the tables of the queue up to date.
func migrateRiver(ctx context.Context, dsn string) error {
	return withRiver(ctx, dsn, func(m *rivermigrate.Migrator[pgx.Tx]) error {
		_, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	})
}

func withRiver(ctx context.Context, dsn string, fn func(*rivermigrate.Migrator[pgx.Tx]) error) error {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return fmt.Errorf("migrate queue: %w", err)
	}
	defer pool.Close()
	m, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("migrate queue: %w", err)
	}
	if err := fn(m); err != nil {
		return fmt.Errorf("migrate queue: %w", err)
	}
	return nil
}

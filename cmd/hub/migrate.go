package main

import (
	"context"
	"errors"
	"fmt"

	"gatehouse/db"
)

// migrate is hub migrate.
func migrate(ctx context.Context, c call) error {
	cfg, err := loadConfig(c.env)
	if err != nil {
		return err
	}
	if cfg.DatabaseURL == "" {
		return errors.New("DATABASE_URL is needed to migrate; hub dev migrates its own database by itself")
	}
	if err := db.Migrate(ctx, cfg.DatabaseURL); err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, "The database has the schema of this program.")
	return err
}

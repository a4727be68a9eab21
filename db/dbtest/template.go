package dbtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"gatehouse/db"
	"gatehouse/migrations"
)

// templateName names the migrated database by the schema that it has: checkouts that differ in it have one each.
func templateName() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(migrations.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(migrations.Files, path)
		fmt.Fprintf(sum, "%s %d %s", path, len(b), b)
		return err
	})
	if err != nil {
		return "", err
	}
	queue, err := rivermigrate.New(riverpgxv5.New(nil), nil)
	if err != nil {
		return "", err
	}
	for _, v := range queue.AllVersions() {
		fmt.Fprintf(sum, "%d %s", v.Version, v.SQLUp)
	}
	return "migrated_" + hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// makeTemplate makes the migrated database that others are copied from, and drops what others left: programs that were killed,
// and checkouts with another schema. It is called at the door.
func (s *shared) makeTemplate(ctx context.Context) (err error) {
	if s.template, err = templateName(); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, s.DSN)
	if err != nil {
		return fmt.Errorf("dbtest: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if !s.Adopted {
		if err := dropAll(ctx, conn, "NOT datistemplate AND datname NOT IN ('postgres', $1)", s.template); err != nil {
			return err
		}
	}
	var there bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", s.template).Scan(&there); err != nil || there {
		return err
	}
	const half = "half_migrated"
	if err := dropAll(ctx, conn, "datname = $1", half); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+half); err != nil {
		return err
	}
	if err := db.Migrate(ctx, s.database(half)); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "ALTER DATABASE "+half+" RENAME TO "+s.template)
	return err
}

// dropAll drops the databases of which the condition holds.
func dropAll(ctx context.Context, conn *pgx.Conn, condition, arg string) error {
	rows, err := conn.Query(ctx, "SELECT datname FROM pg_database WHERE "+condition, arg)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := conn.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			return err
		}
	}
	return nil
}

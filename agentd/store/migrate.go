package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate applies what is missing, all in one transaction. A file that the database knows and this binary does not
// means newer data: then nothing is touched.
func (db *DB) migrate(ctx context.Context) error {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return fmt.Errorf("list migrations: %w", err)
	}
	done, err := applied(ctx, db.write)
	if err != nil {
		return err
	}
	for name := range done {
		if !slices.Contains(files, "migrations/"+name) {
			return fmt.Errorf("%w: it knows %s", ErrNewer, name)
		}
	}
	if len(done) == len(files) {
		return db.mark()
	}
	if err := db.apply(ctx, files, done); err != nil {
		return err
	}
	return db.mark()
}

// applied lists the migrations that the database has seen.
func applied(ctx context.Context, pool *sql.DB) (map[string]bool, error) {
	done := map[string]bool{}
	var there int
	err := pool.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE type='table' AND name='migrations'").Scan(&there)
	if err != nil || there == 0 {
		return done, typed(err)
	}
	rows, err := pool.QueryContext(ctx, "SELECT name FROM migrations")
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", typed(err))
	}
	defer func() { _ = rows.Close() }() // rows.Err says what went wrong
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, fmt.Errorf("read migrations: %w", typed(err))
		}
		done[name] = true
	}
	return done, typed(rows.Err())
}

func (db *DB) apply(ctx context.Context, files []string, done map[string]bool) error {
	tx, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("migrate: %w", typed(err))
	}
	defer func() { _ = tx.Rollback() }() // after a commit this does nothing
	if _, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT"); err != nil {
		return fmt.Errorf("migrate: %w", typed(err))
	}
	for _, file := range files {
		name := strings.TrimPrefix(file, "migrations/")
		if done[name] {
			continue
		}
		if err := step(ctx, tx, file, name, db.now()); err != nil {
			return fmt.Errorf("migrate %s: %w", name, typed(err))
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("migrate: %w", typed(err))
	}
	return nil
}

func step(ctx context.Context, tx *sql.Tx, file, name string, now time.Time) error {
	text, err := migrations.ReadFile(file)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, string(text)); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO migrations (name, applied_at) VALUES (?, ?)", name, now.UTC().Format(time.RFC3339))
	return err
}

// mark notes that the database exists, once its tables are durable.
func (db *DB) mark() error {
	path := filepath.Join(db.dir, made)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.WriteFile(path, []byte("The database of this state directory was created; if it is missing, it was lost.\n"), 0o600); err != nil {
		return fmt.Errorf("mark database: %w", err)
	}
	return nil
}

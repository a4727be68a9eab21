package db

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"gatehouse/migrations"
)

// ErrNewer says that the data was made by a newer program, ErrEdited that a migration differs from the one that the
// data was made with. Nothing was touched.
var (
	ErrNewer  = errors.New("the data is newer than this program")
	ErrEdited = errors.New("a migration was changed after it was applied")
)

// migrateLock is the advisory lock that makes hubs migrate one after the other; any fixed number serves.
const migrateLock = 0x6761746568 // "gateh"

// Migrate brings the database at dsn to the schema of this program: our numbered files, then River's. Several callers
// take turns; it goes forward only and touches nothing when the data is newer.
func Migrate(ctx context.Context, dsn string) error {
	return migrate(ctx, dsn, migrations.Files)
}

// ErrBehind says that the data is older than this program.
var ErrBehind = errors.New("the data is older than this program")

// Check says whether the database at dsn has the schema of this program, and changes nothing.
func Check(ctx context.Context, dsn string) (err error) {
	steps, err := readSteps(migrations.Files)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("check schema: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	done, err := appliedSteps(ctx, conn)
	if err != nil {
		return fmt.Errorf("check schema: %w", err)
	}
	ahead, err := pending(steps, done)
	if err != nil {
		return err
	}
	if len(ahead) > 0 {
		return fmt.Errorf("%w: it lacks %s; run: hub migrate", ErrBehind, ahead[0].name)
	}
	return checkRiver(ctx, conn)
}

func migrate(ctx context.Context, dsn string, files fs.FS) (err error) {
	steps, err := readSteps(files)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }() // gives the lock back too
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(migrateLock)); err != nil {
		return fmt.Errorf("migrate: lock: %w", err)
	}
	done, err := appliedSteps(ctx, conn)
	if err != nil {
		return err
	}
	ahead, err := pending(steps, done)
	if err != nil {
		return err
	}
	if err := checkRiver(ctx, conn); err != nil {
		return err
	}
	for _, s := range ahead {
		if err := apply(ctx, conn, s); err != nil {
			return err
		}
	}
	return migrateRiver(ctx, dsn)
}

// step is one migration file.
type step struct {
	version  int
	name     string // the file's name
	checksum string // hex SHA-256 of the file
	sql      string
}

func readSteps(files fs.FS) ([]step, error) {
	names, err := fs.Glob(files, "*.sql") // sorted by name, and so by number
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	var steps []step
	for _, name := range names {
		s, err := readStep(files, name)
		if err != nil {
			return nil, err
		}
		if n := len(steps); n > 0 && steps[n-1].version >= s.version {
			return nil, fmt.Errorf("migrations: %s and %s have the same number", steps[n-1].name, name)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

func readStep(files fs.FS, name string) (step, error) {
	number, _, _ := strings.Cut(name, "_")
	version, err := strconv.Atoi(number)
	if err != nil || len(number) != 4 || version < 1 {
		return step{}, fmt.Errorf("migrations: %s: the name must begin with four digits", name)
	}
	b, err := fs.ReadFile(files, name)
	if err != nil {
		return step{}, fmt.Errorf("migrations: %w", err)
	}
	sum := sha256.Sum256(b)
	return step{version: version, name: name, checksum: hex.EncodeToString(sum[:]), sql: string(b)}, nil
}

// appliedSteps lists what the data was made with; no table means that it is empty.
func appliedSteps(ctx context.Context, conn *pgx.Conn) (map[int]step, error) {
	done := map[int]step{}
	var there bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass('schema_migrations') IS NOT NULL").Scan(&there); err != nil || !there {
		return done, err
	}
	rows, err := conn.Query(ctx, "SELECT version, name, checksum FROM schema_migrations")
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	var s step
	_, err = pgx.ForEachRow(rows, []any{&s.version, &s.name, &s.checksum}, func() error {
		done[s.version] = s
		return nil
	})
	return done, err
}

// pending lists the steps that are still to be applied, or says why none may be.
func pending(steps []step, done map[int]step) ([]step, error) {
	newest := 0
	for v := range done {
		newest = max(newest, v)
	}
	known := 0
	var ahead []step
	for _, s := range steps {
		known = s.version
		was, applied := done[s.version]
		switch {
		case applied && was.checksum != s.checksum:
			return nil, fmt.Errorf("%w: %s; put the released file back and add a new number", ErrEdited, s.name)
		case !applied && s.version < newest:
			return nil, fmt.Errorf("%w: %s comes before %04d, which the data already has", ErrEdited, s.name, newest)
		case !applied:
			ahead = append(ahead, s)
		}
	}
	if newest > known {
		return nil, fmt.Errorf("%w: the data stands at schema %04d, this program knows up to %04d; run the newer program, nothing was touched",
			ErrNewer, newest, known)
	}
	return ahead, nil
}

func apply(ctx context.Context, conn *pgx.Conn, s step) error {
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS schema_migrations (
			version int PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, s.sql); err != nil { // no arguments: several statements in one go
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)", s.version, s.name, s.checksum)
		return err
	})
	if err != nil {
		return fmt.Errorf("migration %s: %w", s.name, err)
	}
	return nil
}

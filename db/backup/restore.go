package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/jackc/pgx/v5"

	"gatehouse/db"
)

// Errors of a restore that was refused. Nothing was touched.
var (
	ErrNotEmpty = errors.New("the database is not empty")
	ErrInUse    = errors.New("a hub works on this database")
	ErrKeyThere = errors.New("another key file is in the way")
)

// RestoreOptions say what to put back and where.
type RestoreOptions struct {
	DSN        string
	KeyFile    string // written when it is missing; one that is there must be the same
	File       string
	Identities []age.Identity
	Replace    bool // what is in the database may go
}

// Check reads a backup to its end and says what it holds, or what is wrong with it. It touches nothing.
func Check(file string, identities []age.Identity) (Manifest, error) {
	c, err := check(file, identities)
	return c.Manifest, err
}

func check(file string, identities []age.Identity) (contents, error) {
	if err := compareSum(file); err != nil {
		return contents{}, err
	}
	c, err := open(file, identities, io.Discard)
	if err != nil {
		return contents{}, err
	}
	if _, err := db.NewKeyring(c.key); err != nil {
		return contents{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return c, db.Knows(c.Migrations, c.Queue)
}

// compareSum compares a file with the checksum beside it, where there is one.
func compareSum(file string) error {
	want, err := os.ReadFile(file + sumSuffix)
	if errors.Is(err, os.ErrNotExist) {
		return nil // whether the file is whole is seen without it, too
	}
	if err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // read only
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	if said, _, _ := strings.Cut(string(want), " "); said != hex.EncodeToString(sum.Sum(nil)) {
		return fmt.Errorf("%w: its checksum is not the one in %s", ErrDamaged, filepath.Base(file)+sumSuffix)
	}
	return nil
}

// Restore puts a backup back: the whole file is checked first, then all is done in one transaction, which counts the rows of
// every table before it ends. When something fails, database and key file are as they were. All is as it was but for one thing: the
// servers of ended orders work on for GraceDays at least.
func Restore(ctx context.Context, o RestoreOptions) (m Manifest, err error) {
	c, err := check(o.File, o.Identities)
	if err != nil {
		return m, err
	}
	if err := o.room(ctx); err != nil {
		return m, err
	}
	undo, err := placeKey(o.KeyFile, c.key)
	if err != nil {
		return m, err
	}
	if err := o.restore(ctx, c); err != nil {
		return m, errors.Join(fmt.Errorf("restore: %w; nothing was changed", err), undo())
	}
	return c.Manifest, nil
}

// room says whether the database may be filled.
func (o RestoreOptions) room(ctx context.Context) (err error) {
	conn, err := pgx.Connect(ctx, o.DSN)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	others, err := hubsLeft(ctx, conn)
	if err != nil {
		return err
	}
	if others > 0 {
		return fmt.Errorf("%w: stop it first (%d connections)", ErrInUse, others)
	}
	there, err := tables(ctx, conn)
	if err != nil {
		return err
	}
	if len(there) > 0 && !o.Replace {
		return fmt.Errorf("%w: it has %d tables. Make an empty one, or say --replace: what is in it is then lost", ErrNotEmpty, len(there))
	}
	return nil
}

// leaving is how long Postgres may take to notice that a hub which was just stopped is gone.
const leaving = 3 * time.Second

// hubsLeft counts the connections of hubs to a database, once those that are just ending have ended.
func hubsLeft(ctx context.Context, conn *pgx.Conn) (n int, err error) {
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	patient, enough := context.WithTimeout(ctx, leaving)
	defer enough()
	for {
		err := conn.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
			AND application_name = 'gatehouse'`).Scan(&n)
		if err != nil || n == 0 {
			return n, err
		}
		select {
		case <-again.C:
		case <-patient.Done():
			return n, ctx.Err()
		}
	}
}

// placeKey puts the key file in its place, and gives a way to take it off again.
func placeKey(path string, key []byte) (undo func() error, err error) {
	nothing := func() error { return nil }
	there, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(there, key):
		return nothing, nil
	case err == nil:
		return nil, fmt.Errorf("%w: %s. With it, the secrets of the backup would not open. Move it away first", ErrKeyThere, path)
	case !errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("key file: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".key-") // 0600
	if err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(key)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	if err := os.Link(f.Name(), path); err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	return func() error { return os.Remove(path) }, nil
}

// restore lets pg_restore write statements and psql carry them out. Only the last of them, after all else went well, ends the
// transaction.
func (o RestoreOptions) restore(ctx context.Context, c contents) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	psql, err := prepare(ctx, o.DSN, "psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--file=-")
	if err != nil {
		return err
	}
	return psql.feed(func(w io.Writer) error {
		begin := "BEGIN;\n"
		if o.Replace {
			begin += "DROP SCHEMA public CASCADE;\nCREATE SCHEMA public;\n"
		}
		if _, err := io.WriteString(w, begin); err != nil {
			return err
		}
		if err := o.statements(ctx, w, c); err != nil {
			cancel() // psql is killed, and Postgres undoes what it did
			return err
		}
		_, err := io.WriteString(w, counted(c.Rows)+grace+"COMMIT;\n")
		return err
	})
}

// GraceDays is how long the server of an ended order works on at least after a restore: its customer may have taken the end back
// after the backup was taken, of which the restored hub knows nothing.
const GraceDays = 3

// grace is a statement that sees to it. A backup of an older program has no such orders. The dump has emptied the search path, which
// the triggers of the table need.
var grace = fmt.Sprintf(`SET LOCAL search_path = public;
DO $grace$ BEGIN
IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('public.orders') AND attname = 'release_at' AND NOT attisdropped) THEN
UPDATE orders SET release_at = now() + interval '%[1]d days' WHERE state = 'ENDED' AND release_at < now() + interval '%[1]d days';
END IF; END $grace$;
`, GraceDays)

// statements writes the dump as SQL.
func (o RestoreOptions) statements(ctx context.Context, w io.Writer, c contents) error {
	restore, err := prepare(ctx, o.DSN, "pg_restore", "--no-owner", "--no-privileges", "--exit-on-error", "--file=-")
	if err != nil {
		return err
	}
	restore.Stdout = w
	return restore.feed(func(in io.Writer) error {
		again, err := open(o.File, o.Identities, in)
		if err == nil && !maps.Equal(again.Rows, c.Rows) {
			err = fmt.Errorf("%w: it changed while it was read", ErrDamaged)
		}
		return err
	})
}

// counted is a statement that fails when a table has not as many rows as it should.
func counted(rows map[string]int64) string {
	var b strings.Builder
	b.WriteString("DO $counted$ DECLARE n bigint; BEGIN\n")
	for _, table := range slices.Sorted(maps.Keys(rows)) {
		name := pgx.Identifier{"public", table}.Sanitize()
		fmt.Fprintf(&b, "SELECT count(*) INTO n FROM %s;\nIF n <> %d THEN RAISE EXCEPTION 'a table has %% rows, not %[2]d', n; END IF;\n",
			name, rows[table])
	}
	b.WriteString("END $counted$;\n")
	return b.String()
}

package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/jackc/pgx/v5"

	"gatehouse/db"
)

// ErrOtherKey says that the key file is not the one that secrets in the database were closed with.
var ErrOtherKey = errors.New("the key file is not the one of this database")

// WriteOptions say what to take and where to.
type WriteOptions struct {
	DSN        string
	KeyFile    string
	Dir        string // made when missing
	Recipients []age.Recipient
	Keep       int // how many of the newest stay; 0: all
	Program    string
	Now        time.Time
}

// Written is a backup that was taken.
type Written struct {
	Manifest
	Path    string
	Bytes   int64
	Removed []string // older ones
}

// Write takes a backup. Its file appears when it is whole and on the disk, with its checksum in a file beside it; nothing is
// left of one that failed.
func Write(ctx context.Context, o WriteOptions) (Written, error) {
	key, err := os.ReadFile(o.KeyFile)
	if err != nil {
		return Written{}, fmt.Errorf("key file: %w", err)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return Written{}, fmt.Errorf("folder of the backups: %w", err)
	}
	w := Written{Path: filepath.Join(o.Dir, prefix+o.Now.UTC().Format(stamp)+suffix)}
	f, err := os.CreateTemp(o.Dir, ".part-")
	if err != nil {
		return Written{}, fmt.Errorf("write backup: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // when all went well it has its other name
	sum := sha256.New()
	w.Manifest, err = o.pack(ctx, io.MultiWriter(f, sum), key)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return Written{}, fmt.Errorf("write backup: %w", err)
	}
	if err := publish(f.Name(), w.Path, hex.EncodeToString(sum.Sum(nil))); err != nil {
		return Written{}, err
	}
	st, err := os.Stat(w.Path)
	if err != nil {
		return Written{}, err
	}
	w.Bytes = st.Size()
	w.Removed, err = prune(o.Dir, o.Keep)
	return w, err
}

// publish gives a whole file its name, its checksum first.
func publish(part, path, sum string) error {
	check := path + sumSuffix
	if err := os.WriteFile(check, []byte(sum+"  "+filepath.Base(path)+"\n"), 0o600); err != nil {
		return errors.Join(fmt.Errorf("write checksum: %w", err), os.Remove(check))
	}
	if err := os.Link(part, path); err != nil {
		return errors.Join(fmt.Errorf("name backup: %w", err), os.Remove(check))
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// pack writes the archive. Counts and data are of one moment: both read the same snapshot.
func (o WriteOptions) pack(ctx context.Context, w io.Writer, key []byte) (m Manifest, err error) {
	conn, err := pgx.Connect(ctx, o.DSN)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return m, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // it only read
	m = Manifest{Format: format, Made: o.Now.UTC().Truncate(time.Second), Program: o.Program}
	var snapshot string
	if err := tx.QueryRow(ctx, "SELECT pg_export_snapshot(), current_setting('server_version')").Scan(&snapshot, &m.Postgres); err != nil {
		return m, err
	}
	if m.Migrations, m.Queue, err = db.MadeWith(ctx, conn); err != nil {
		return m, err
	}
	if len(m.Migrations) == 0 {
		return m, errors.New("the database has no tables of a hub; run: hub migrate")
	}
	if err := opens(ctx, conn, key); err != nil {
		return m, err
	}
	if m.Rows, err = count(ctx, conn); err != nil {
		return m, err
	}
	return m, o.archive(ctx, w, m, key, snapshot)
}

func (o WriteOptions) archive(ctx context.Context, w io.Writer, m Manifest, key []byte, snapshot string) error {
	closed, err := age.Encrypt(w, o.Recipients...)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // what has failed need not be dumped to its end
	dump, err := prepare(ctx, o.DSN, "pg_dump", "--format=custom", "--no-owner", "--no-privileges", "--snapshot="+snapshot)
	if err != nil {
		return err
	}
	out, err := dump.StdoutPipe()
	if err != nil {
		return err
	}
	p := &packer{tar: tar.NewWriter(closed), made: m.Made}
	if err := errors.Join(p.addJSON(manifestName, m), p.add(keyName, key)); err != nil {
		return err
	}
	if err := dump.Start(); err != nil {
		return dump.ended(err)
	}
	if err := p.addDump(out); err != nil {
		cancel()
		_ = dump.Wait() // it was killed
		return err
	}
	if err := dump.ended(dump.Wait()); err != nil {
		return err
	}
	return errors.Join(p.tar.Close(), closed.Close())
}

// opens says whether the secrets in the database were closed with this key.
func opens(ctx context.Context, conn *pgx.Conn, key []byte) error {
	ring, err := db.NewKeyring(key)
	if err != nil {
		return err
	}
	rows, err := conn.Query(ctx, "SELECT name, sealed FROM hub_secrets")
	if err != nil {
		return err
	}
	var name string
	var sealed []byte
	_, err = pgx.ForEachRow(rows, []any{&name, &sealed}, func() error {
		if _, err := ring.Open("hub_secrets", name, "sealed", sealed); err != nil {
			return fmt.Errorf("%w: %w", ErrOtherKey, err)
		}
		return nil
	})
	return err
}

// count counts the rows of every table.
func count(ctx context.Context, conn *pgx.Conn) (map[string]int64, error) {
	tables, err := tables(ctx, conn)
	if err != nil {
		return nil, err
	}
	all := map[string]int64{}
	for _, t := range tables {
		var n int64
		if err := conn.QueryRow(ctx, "SELECT count(*) FROM "+pgx.Identifier{"public", t}.Sanitize()).Scan(&n); err != nil {
			return nil, fmt.Errorf("count %s: %w", t, err)
		}
		all[t] = n
	}
	return all, nil
}

func tables(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	rows, err := conn.Query(ctx, `SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') ORDER BY c.relname`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// The names of backups. They sort by time.
const (
	prefix    = "gatehouse-"
	stamp     = "20060102T150405Z"
	suffix    = ".age"
	sumSuffix = ".sha256"
)

// All lists the backups in a folder, oldest first. What has another name is none.
func All(dir string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(dir, prefix+"*"+suffix))
	if err != nil {
		return nil, err
	}
	slices.Sort(found)
	return slices.DeleteFunc(found, func(path string) bool { return TimeOf(path).IsZero() }), nil
}

// TimeOf is when the backup of that path was taken; zero when the name is none of a backup.
func TimeOf(path string) time.Time {
	name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), prefix), suffix)
	at, err := time.Parse(stamp, name)
	if err != nil {
		return time.Time{}
	}
	return at
}

// prune removes all but the newest.
func prune(dir string, keep int) (removed []string, err error) {
	all, err := All(dir)
	if err != nil || keep <= 0 || len(all) <= keep {
		return nil, err
	}
	for _, path := range all[:len(all)-keep] {
		if err := os.Remove(path); err != nil {
			return removed, fmt.Errorf("remove an old backup: %w", err)
		}
		removed = append(removed, path)
		if err := os.Remove(path + sumSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return removed, fmt.Errorf("remove an old backup: %w", err)
		}
	}
	return removed, nil
}

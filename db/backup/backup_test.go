package backup_test

import (
	"archive/tar"
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/jackc/pgx/v5"

	"gatehouse/db"
	"gatehouse/db/backup"
	"gatehouse/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// hub is a database with its key file, and who may open its backups.
type hub struct {
	dsn, key string
	owner    *age.X25519Identity
}

const secret = "quiet-bakers-at-dawn-4711"

// newHub makes one that holds a sealed value, texts that are hard to dump, and 5,000 rows.
func newHub(t *testing.T) hub {
	t.Helper()
	h := hub{dsn: dbtest.NewDSN(t), key: filepath.Join(t.TempDir(), "secret.key")}
	d, err := db.Open(t.Context(), h.dsn)
	must(t, err)
	defer d.Close()
	keys, err := db.OpenKeyring(h.key)
	must(t, err)
	_, err = (&db.HubSecrets{DB: d, Keys: keys}).Get(t.Context(), "push", func() ([]byte, error) { return []byte(secret), nil })
	must(t, err)
	_, err = d.Pool.Exec(t.Context(), `CREATE TABLE odd ("a ""b" text, n int GENERATED ALWAYS AS IDENTITY);
		INSERT INTO odd SELECT E'\\.\n\t\\N ü ' || i || md5(i::text) FROM generate_series(1, 5000) i`)
	must(t, err)
	h.owner, err = age.GenerateX25519Identity()
	must(t, err)
	return h
}

func (h hub) write(t *testing.T, dir string, change ...func(*backup.WriteOptions)) (backup.Written, error) {
	t.Helper()
	o := backup.WriteOptions{
		DSN: h.dsn, KeyFile: h.key, Dir: dir, Recipients: []age.Recipient{h.owner.Recipient()}, Program: "test", Now: time.Now(),
	}
	for _, c := range change {
		c(&o)
	}
	return backup.Write(t.Context(), o)
}

// written takes a backup that must succeed.
func (h hub) written(t *testing.T) backup.Written {
	t.Helper()
	w, err := h.write(t, t.TempDir())
	must(t, err)
	return w
}

// empty is a database without any table.
func empty(t *testing.T) string {
	t.Helper()
	dsn := dbtest.NewDSN(t)
	execute(t, dsn, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	return dsn
}

func execute(t *testing.T, dsn, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	_, err = conn.Exec(t.Context(), sql)
	must(t, errors.Join(err, conn.Close(t.Context())))
}

func (h hub) restore(t *testing.T, file, dsn, key string) error {
	t.Helper()
	_, err := backup.Restore(t.Context(), backup.RestoreOptions{DSN: dsn, KeyFile: key, File: file, Identities: []age.Identity{h.owner}})
	return err
}

// tableCount is how many tables a database has.
func tableCount(t *testing.T, dsn string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	err = conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
		WHERE nspname = 'public'`).Scan(&n)
	must(t, errors.Join(err, conn.Close(t.Context())))
	return n
}

// opened is the sealed value of a database, opened with a key file.
func opened(t *testing.T, dsn, key string) string {
	t.Helper()
	d, err := db.Open(t.Context(), dsn)
	must(t, err)
	defer d.Close()
	keys, err := db.ReadKeyring(key)
	must(t, err)
	gone := func() ([]byte, error) { return nil, errors.New("it is gone") }
	got, err := (&db.HubSecrets{DB: d, Keys: keys}).Get(t.Context(), "push", gone)
	must(t, err)
	return string(got)
}

// TestRoundTrip: what comes back is what was there, works as a hub's database, and can be backed up itself with the same counts.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	w := h.written(t)
	if w.Rows["odd"] != 5000 || w.Rows["hub_secrets"] != 1 || len(w.Migrations) < 20 {
		t.Fatalf("manifest: %+v", w.Manifest)
	}
	raw, err := os.ReadFile(w.Path)
	must(t, err)
	for _, plain := range []string{secret, "hub_secrets", "manifest"} {
		if bytes.Contains(raw, []byte(plain)) {
			t.Errorf("the file shows %q", plain)
		}
	}
	if st, err := os.Stat(w.Path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	back := hub{dsn: empty(t), key: filepath.Join(t.TempDir(), "secret.key"), owner: h.owner}
	must(t, h.restore(t, w.Path, back.dsn, back.key))
	if got := opened(t, back.dsn, back.key); got != secret {
		t.Errorf("the sealed value came back as %q", got)
	}
	must(t, db.Check(t.Context(), back.dsn))
	if st, err := os.Stat(back.key); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("key file: %v, %v", st.Mode(), err)
	}
	if again := back.written(t); !maps.Equal(again.Rows, w.Rows) {
		t.Errorf("rows: %v, want %v", again.Rows, w.Rows)
	}
	if a, b := sums(t, h.dsn), sums(t, back.dsn); a != b {
		t.Errorf("contents: %s, want %s", b, a)
	}
}

// sums is a checksum of the odd table, and the next number it would give.
func sums(t *testing.T, dsn string) (sum string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	err = conn.QueryRow(t.Context(), `SELECT md5(string_agg("a ""b" || n, ',' ORDER BY n)) || nextval('odd_n_seq') FROM odd`).Scan(&sum)
	must(t, errors.Join(err, conn.Close(t.Context())))
	return sum
}

// TestOpensWithoutThisProgram: age and tar are enough to get at everything.
func TestOpensWithoutThisProgram(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	f, err := os.Open(h.written(t).Path)
	must(t, err)
	defer func() { _ = f.Close() }()
	plain, err := age.Decrypt(f, h.owner)
	must(t, err)
	var names []string
	var dump bytes.Buffer
	for r := tar.NewReader(plain); ; {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		names = append(names, e.Name)
		if strings.HasPrefix(e.Name, "database.dump/") {
			_, err = io.Copy(&dump, r)
			must(t, err)
		}
	}
	if len(names) < 4 || names[0] != "manifest.json" || names[1] != "secret.key" || !strings.HasPrefix(dump.String(), "PGDMP") {
		t.Errorf("entries %v, the dump begins %.5q", names, dump.String())
	}
}

// TestRestore_refuses: each of these leaves the database and the key file as they were.
func TestRestore_refuses(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	whole, err := os.ReadFile(h.written(t).Path)
	must(t, err)
	stranger, err := age.GenerateX25519Identity()
	must(t, err)
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for name, c := range map[string]struct {
		file []byte
		owns *age.X25519Identity
		want error
	}{
		"cut in the middle":      {whole[:len(whole)/2], h.owner, backup.ErrDamaged},
		"cut by one byte":        {whole[:len(whole)-1], h.owner, backup.ErrDamaged},
		"one bit flipped":        {flipped, h.owner, backup.ErrDamaged},
		"something after it":     {append(bytes.Clone(whole), 'x'), h.owner, backup.ErrDamaged},
		"empty":                  {nil, h.owner, backup.ErrDamaged},
		"encrypted for somebody": {whole, stranger, backup.ErrLocked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "backup.age")
			must(t, os.WriteFile(file, c.file, 0o600))
			target := hub{dsn: empty(t), key: filepath.Join(t.TempDir(), "secret.key"), owner: c.owns}
			if err := target.restore(t, file, target.dsn, target.key); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			target.untouched(t)
		})
	}
}

// untouched says that a restore into an empty database left nothing behind.
func (h hub) untouched(t *testing.T) {
	t.Helper()
	if n := tableCount(t, h.dsn); n != 0 {
		t.Errorf("%d tables were left behind", n)
	}
	if left, err := os.ReadDir(filepath.Dir(h.key)); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestRestore_checksum: a file that is not the one of its checksum is refused before any key is asked for.
func TestRestore_checksum(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	w := h.written(t)
	other, err := h.write(t, t.TempDir(), func(o *backup.WriteOptions) { o.Now = o.Now.Add(time.Hour) })
	must(t, err)
	must(t, os.Rename(other.Path, w.Path))
	_, err = backup.Check(w.Path, []age.Identity{h.owner})
	if !errors.Is(err, backup.ErrDamaged) || !strings.Contains(err.Error(), ".sha256") {
		t.Errorf("%v", err)
	}
}

// TestRestore_newer: data of a newer program is not put under an older one.
func TestRestore_newer(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	execute(t, h.dsn, "INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, '9999_later.sql', 'x')")
	w := h.written(t)
	target := hub{dsn: empty(t), key: filepath.Join(t.TempDir(), "secret.key"), owner: h.owner}
	if err := target.restore(t, w.Path, target.dsn, target.key); !errors.Is(err, db.ErrNewer) {
		t.Errorf("%v", err)
	}
	target.untouched(t)
}

// TestRestore_notEmpty: what is there stays, unless it is said that it may go. Then a restore that fails leaves it as well.
func TestRestore_notEmpty(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	w := h.written(t)
	there := newHub(t)
	if err := h.restore(t, w.Path, there.dsn, filepath.Join(t.TempDir(), "secret.key")); !errors.Is(err, backup.ErrNotEmpty) {
		t.Errorf("%v", err)
	}
	o := backup.RestoreOptions{DSN: there.dsn, KeyFile: there.key, File: w.Path, Identities: []age.Identity{h.owner}, Replace: true}
	if _, err := backup.Restore(t.Context(), o); !errors.Is(err, backup.ErrKeyThere) {
		t.Errorf("with another key file: %v", err)
	}
	// Postgres refuses what comes last, after the tables and their rows.
	o.KeyFile = filepath.Join(t.TempDir(), "secret.key")
	execute(t, there.dsn, "CREATE SCHEMA elsewhere; CREATE FUNCTION elsewhere.no() RETURNS event_trigger LANGUAGE plpgsql AS "+
		"$$ BEGIN RAISE EXCEPTION 'no such thing here'; END $$; CREATE EVENT TRIGGER never ON ddl_command_end "+
		"WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION elsewhere.no()")
	if _, err := backup.Restore(t.Context(), o); err == nil || !strings.Contains(err.Error(), "no such thing here") {
		t.Errorf("a restore that fails at the end: %v", err)
	}
	if got := opened(t, there.dsn, there.key); got != secret {
		t.Errorf("what was there: %q", got)
	}
	if _, err := os.Stat(o.KeyFile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a key file was left behind: %v", err)
	}
	execute(t, there.dsn, "DROP EVENT TRIGGER never")
	_, err := backup.Restore(t.Context(), o)
	must(t, err)
	if got := opened(t, there.dsn, o.KeyFile); got != secret {
		t.Errorf("restored: %q", got)
	}
}

// TestRestore_hubAtWork: a database that a hub is working on is left alone.
func TestRestore_hubAtWork(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	w := h.written(t)
	target := empty(t)
	d, err := db.Open(t.Context(), target)
	must(t, err)
	defer d.Close()
	if err := h.restore(t, w.Path, target, filepath.Join(t.TempDir(), "k")); !errors.Is(err, backup.ErrInUse) {
		t.Errorf("%v", err)
	}
}

// TestWrite_otherKey: a backup whose key file opens nothing would be worthless.
func TestWrite_otherKey(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.key = filepath.Join(t.TempDir(), "other.key")
	must(t, os.WriteFile(h.key, bytes.Repeat([]byte{9}, 32), 0o600))
	dir := t.TempDir()
	if _, err := h.write(t, dir); !errors.Is(err, backup.ErrOtherKey) {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestWrite_keep: the newest stay, and what is no backup of ours is never touched.
func TestWrite_keep(t *testing.T) {
	t.Parallel()
	h, dir := newHub(t), t.TempDir()
	for _, name := range []string{"gatehouse-mine.age", "notes.txt"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o600))
	}
	for i := range 4 {
		_, err := h.write(t, dir, func(o *backup.WriteOptions) { o.Keep, o.Now = 2, o.Now.Add(time.Duration(i)*time.Hour) })
		must(t, err)
	}
	all, err := backup.All(dir)
	must(t, err)
	left, err := os.ReadDir(dir)
	must(t, err)
	if len(all) != 2 || len(left) != 6 || time.Until(backup.TimeOf(all[1])) < 2*time.Hour {
		t.Errorf("kept %v of %v", all, left)
	}
}

// TestWrite_sameSecond: one backup never takes the place of another.
func TestWrite_sameSecond(t *testing.T) {
	t.Parallel()
	h, dir, now := newHub(t), t.TempDir(), time.Now()
	at := func(o *backup.WriteOptions) { o.Now = now }
	first, err := h.write(t, dir, at)
	must(t, err)
	was, err := os.ReadFile(first.Path)
	must(t, err)
	if _, err := h.write(t, dir, at); !errors.Is(err, os.ErrExist) {
		t.Errorf("%v", err)
	}
	if is, err := os.ReadFile(first.Path); err != nil || !bytes.Equal(is, was) {
		t.Errorf("the first is another now: %v", err)
	}
	must(t, h.restore(t, first.Path, empty(t), filepath.Join(t.TempDir(), "secret.key")))
}

// TestWrite_fullDisk: on a disk that gets full nothing is left, and the last backup still is there; a key file that finds no
// room stops a restore before the database is touched.
func TestWrite_fullDisk(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can make a small disk")
	}
	h, small := newHub(t), t.TempDir()
	if err := syscall.Mount("none", small, "tmpfs", 0, "size=768k,mode=700"); err != nil {
		t.Skipf("this machine lets nobody make a small disk: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(small, 0) })
	good, err := h.write(t, small)
	must(t, err)
	noise := make([]byte, 1<<20)
	_, _ = rand.Read(noise)
	execute(t, h.dsn, "CREATE TABLE noise AS SELECT md5(i::text || random()) AS x FROM generate_series(1, 40000) i")
	_, err = h.write(t, small, func(o *backup.WriteOptions) { o.Now, o.Keep = o.Now.Add(time.Hour), 1 })
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v, want a full disk", err)
	}
	left, err := os.ReadDir(small)
	must(t, err)
	if len(left) != 2 {
		t.Errorf("on the disk: %v", left)
	}
	_, err = backup.Check(good.Path, []age.Identity{h.owner})
	must(t, err)
	f, err := os.Create(filepath.Join(small, "fill"))
	must(t, err)
	_, err = f.Write(noise)
	if err := errors.Join(err, f.Close()); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	target := empty(t)
	if err := h.restore(t, good.Path, target, filepath.Join(small, "secret.key")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v, want a full disk", err)
	}
	if n := tableCount(t, target); n != 0 {
		t.Errorf("%d tables were left behind", n)
	}
}

// TestWrite_noPasswordInArguments: the password of the database is in no argument, where every user of the machine could read it.
func TestWrite_noPasswordInArguments(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	fake := t.TempDir()
	seen := filepath.Join(fake, "arguments")
	_, err := exec.LookPath("sh")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(fake, "pg_dump"), []byte("#!/bin/sh\necho \"$@\" > "+seen+"\nexit 1\n"), 0o755))
	cmd := exec.Command(os.Args[0], "-test.run=^TestWrite_helper$")
	cmd.Env = append(os.Environ(), "HUB_PG_BIN="+fake, "BACKUP_HELPER="+h.dsn+" "+h.key)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	args, err := os.ReadFile(seen)
	must(t, err)
	c, err := pgx.ParseConfig(h.dsn)
	must(t, err)
	if c.Password == "" || strings.Contains(string(args), c.Password) || !strings.Contains(string(args), "--snapshot=") {
		t.Errorf("arguments: %s", args)
	}
}

func TestWrite_helper(t *testing.T) {
	dsn, key, asked := strings.Cut(os.Getenv("BACKUP_HELPER"), " ")
	if !asked {
		return // it is for TestWrite_noPasswordInArguments
	}
	owner, err := age.GenerateX25519Identity()
	must(t, err)
	if _, err := (hub{dsn: dsn, key: key, owner: owner}).write(t, t.TempDir()); err == nil {
		t.Error("a dump that failed made a backup")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

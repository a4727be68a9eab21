package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/jackc/pgx/v5"

	"gatehouse/agentd/seeded"
	"gatehouse/app/account"
	"gatehouse/app/account/accounttest"
	"gatehouse/app/second"
	"gatehouse/app/staff"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// hubSays runs a command to its end.
func hubSays(t *testing.T, env map[string]string, stdin string, args ...string) (int, string) {
	t.Helper()
	var out output
	code := run(t.Context(), call{args: args, env: env, in: strings.NewReader(stdin), out: &out, err: &out})
	return code, out.String()
}

// emptyDatabase is one without any table.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	dsn := dbtest.NewDSN(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	ok(t, err)
	_, err = conn.Exec(t.Context(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	ok(t, err)
	ok(t, conn.Close(t.Context()))
	return dsn
}

// TestBackup_andRestore: who could sign in before can sign in after it, with the same password and the same second factor, at a
// hub that had neither database nor key file.
func TestBackup_andRestore(t *testing.T) {
	t.Parallel()
	env, dir := environment(t), t.TempDir()
	owner, err := age.GenerateX25519Identity()
	ok(t, err)
	identity := filepath.Join(t.TempDir(), "owner.key")
	ok(t, os.WriteFile(identity, []byte(owner.String()+"\n"), 0o600))
	code, out := hubSays(t, env, "three quiet bakers at dawn\n", "staff", "create", "--email", "someone@example.com", "--role", "owner")
	if code != 0 {
		t.Fatal(out)
	}
	_, rest, _ := strings.Cut(out, "secret  ")
	totp, _, _ := strings.Cut(rest, "\n")

	if code, out := hubSays(t, env, "", "backup", "--to", dir); code != 1 || !strings.Contains(out, "HUB_BACKUP_RECIPIENTS") {
		t.Errorf("for nobody: %d %s", code, out)
	}
	env["HUB_BACKUP_RECIPIENTS"] = owner.Recipient().String()
	code, out = hubSays(t, env, "", "backup", "--to", dir, "--keep", "3")
	file, _, _ := strings.Cut(out, "\n")
	if code != 0 || filepath.Dir(file) != dir {
		t.Fatalf("backup: %d %s", code, out)
	}
	code, out = hubSays(t, env, "", "restore", "--from", file, "--identity", identity, "--check")
	if code != 0 || !strings.Contains(out, "Whole") {
		t.Errorf("check: %d %s", code, out)
	}
	code, out = hubSays(t, env, "", "restore", "--from", file, "--identity", identity)
	if code != 1 || !strings.Contains(out, "--replace") {
		t.Errorf("over what is there: %d %s", code, out)
	}
	other := environment(t)
	other["DATABASE_URL"] = emptyDatabase(t)
	code, out = hubSays(t, other, "", "restore", "--from", file, "--identity", identity)
	if code != 0 || !strings.Contains(out, "each counted") || !strings.Contains(out, "released within the next 3 days") {
		t.Fatalf("restore: %d %s", code, out)
	}
	signsIn(t, other, totp)
}

// signsIn says that the member of the staff comes in.
func signsIn(t *testing.T, env map[string]string, totp string) {
	t.Helper()
	d, err := db.Open(t.Context(), env["DATABASE_URL"])
	ok(t, err)
	defer d.Close()
	keys, err := db.ReadKeyring(keyPath(env["GATEHOUSE_DIR"]))
	ok(t, err)
	s := &staff.Service{
		Store: &db.Staff{DB: d, Keys: keys}, Hasher: accounttest.Hasher(), Tries: account.NewTries(9, time.Minute, time.Now), Now: time.Now,
	}
	m, err := s.Password(t.Context(), "someone@example.com", "three quiet bakers at dawn")
	ok(t, err)
	one, err := second.CodeAt(totp, time.Now())
	ok(t, err)
	if _, err := s.Code(t.Context(), m.ID, one); err != nil {
		t.Errorf("the second factor: %v", err)
	}
}

// TestBackup_passphrase: who has no key file uses a passphrase that is not a short one.
func TestBackup_passphrase(t *testing.T) {
	seeded.Turn(t)
	t.Parallel()
	env, dir := environment(t), t.TempDir()
	if code, out := hubSays(t, env, "", "staff", "create"); code == 0 {
		t.Fatal(out) // it made the key file
	}
	if code, out := hubSays(t, env, "short\n", "backup", "--to", dir, "--passphrase"); code != 1 ||
		!strings.Contains(out, "fewer than 16") {
		t.Errorf("a short one: %d %s", code, out)
	}
	code, out := hubSays(t, env, "four slow boats in the rain\n", "backup", "--to", dir, "--passphrase")
	file, _, _ := strings.Cut(out, "\n")
	if code != 0 {
		t.Fatal(out)
	}
	if code, out := hubSays(t, env, "four slow boats in the snow\n", "restore", "--from", file, "--passphrase", "--check"); code != 1 ||
		!strings.Contains(out, "does not open this backup") {
		t.Errorf("a wrong one: %d %s", code, out)
	}
	if code, out := hubSays(t, env, "four slow boats in the rain\n", "restore", "--from", file, "--passphrase", "--check"); code != 0 {
		t.Errorf("the right one: %d %s", code, out)
	}
}

func TestBackup_usage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"backup", "--keep", "-1"},
		{"backup", "what"},
		{"restore"},
		{"restore", "--from", "x"},
		{"restore", "--from", "x", "--identity", "y", "--passphrase"},
		{"units", "what"},
		{"doctor", "--mail-to", "nobody"},
	} {
		if code, out := hubSays(t, nil, "", args...); code != 2 {
			t.Errorf("%v: %d %s", args, code, out)
		}
	}
}

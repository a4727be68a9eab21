package main

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/cmd/hub/devmail"
	"gatehouse/cmd/hub/doctor"
	"gatehouse/db"
)

// findings are what hub doctor says, by name.
func findings(t *testing.T, env map[string]string, want int, args ...string) map[string]doctor.Finding {
	t.Helper()
	var out, errs output
	args = append([]string{"doctor", "--json"}, args...)
	code := run(t.Context(), call{args: args, env: env, in: strings.NewReader(""), out: &out, err: &errs})
	if code != want {
		t.Errorf("exit %d, want %d: %s %s", code, want, out.String(), errs.String())
	}
	var r doctor.Report
	ok(t, json.Unmarshal([]byte(out.String()), &r))
	by := map[string]doctor.Finding{}
	for _, f := range r.Findings {
		by[f.Name] = f
		if (f.State == doctor.OK) != (f.Mend == "") {
			t.Errorf("%s is %s and says how to mend it: %q", f.Name, f.State, f.Mend)
		}
	}
	return by
}

// caught is a mail server that takes everything.
func caught(t *testing.T) (addr string, mails *devmail.Store) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ok(t, err)
	store, err := devmail.OpenStore(t.TempDir(), time.Now)
	ok(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- devmail.Catch(ctx, l, store, slog.New(slog.DiscardHandler)) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	})
	return l.Addr().String(), store
}

// TestDoctor_wellHub: a hub that serves, works, was backed up and has its texts lacks nothing; what it says holds no secret.
func TestDoctor_wellHub(t *testing.T) {
	t.Parallel()
	env := environment(t)
	mailAt, mails := caught(t)
	texts, backups := t.TempDir(), t.TempDir()
	for _, name := range []string{"terms.md", "privacy.md", "imprint.md"} {
		ok(t, os.WriteFile(filepath.Join(texts, name), []byte("# Text\n\nWords."), 0o644))
	}
	env["SMTP_ADDR"], env["HUB_LEGAL_DIR"], env["HUB_CONTACT_EMAIL"], env["HUB_BACKUP_DIR"] = mailAt, texts, "help@example.com", backups
	env["HUB_BACKUP_RECIPIENTS"] = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"
	env["HUB_PUBLIC_URL"] = "http://" + env["HUB_ADDR"]
	_, end := start(t, env, "serve")
	waitServing(t, env["HUB_PUBLIC_URL"]+"/readyz")
	if code, out := hubSays(t, env, "", "backup"); code != 0 {
		t.Fatal(out)
	}
	by := findings(t, env, 0, "--mail-to", "someone@example.com")
	for name, f := range by {
		if f.State != doctor.OK && !(name == "clock" && f.State == doctor.Warn) && name != "disk" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if len(by) != 14 {
		t.Errorf("%d things were looked at", len(by))
	}
	if got, err := mails.IDs(); err != nil || len(got) != 1 {
		t.Errorf("mails: %v, %v", got, err)
	}
	end()
	by = findings(t, env, 0)
	if f := by["public address"]; f.State != doctor.Warn {
		t.Errorf("a hub that does not run: %+v", f)
	}
	if got, err := mails.IDs(); err != nil || len(got) != 1 {
		t.Errorf("without --mail-to a mail was sent: %v, %v", got, err)
	}
}

// TestDoctor_finds: each fault shows at its own line, and the exit code says that something fails.
func TestDoctor_finds(t *testing.T) {
	t.Parallel()
	const password = "hunter2-and-more"
	for situation, c := range map[string]struct {
		change func(t *testing.T, env map[string]string)
		name   string
		says   string
		state  doctor.State
	}{
		"half a model": {func(_ *testing.T, e map[string]string) { e["MODEL_NAME"] = "x" }, "configuration", "MODEL_BASE_URL", doctor.Fail},
		"no database": {func(_ *testing.T, e map[string]string) {
			e["DATABASE_URL"] = "postgres://hub:" + password + "@127.0.0.1:1/none"
		}, "database", "connect", doctor.Fail},
		"a database address that is none": {func(_ *testing.T, e map[string]string) {
			e["DATABASE_URL"] = "postgres://hub:" + password + "@127.0.0.1:port/none"
		}, "database", "", doctor.Fail},
		"an empty database": {func(t *testing.T, e map[string]string) {
			t.Helper()
			e["DATABASE_URL"] = emptyDatabase(t)
		}, "schema", "hub migrate", doctor.Fail},
		"an older schema": {func(t *testing.T, e map[string]string) {
			t.Helper()
			sql(t, e, "DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations)")
		}, "schema", "it lacks", doctor.Fail},
		"no key file": {func(t *testing.T, e map[string]string) {
			t.Helper()
			ok(t, os.Remove(keyPath(e["GATEHOUSE_DIR"])))
		}, "key file", "is missing", doctor.Fail},
		"a key file for all": {func(t *testing.T, e map[string]string) {
			t.Helper()
			ok(t, os.Chmod(keyPath(e["GATEHOUSE_DIR"]), 0o644))
		}, "key file", "0644", doctor.Fail},
		"another key file": {func(t *testing.T, e map[string]string) {
			t.Helper()
			ok(t, os.WriteFile(keyPath(e["GATEHOUSE_DIR"]), bytes.Repeat([]byte{7}, 32), 0o600))
		}, "secrets", "does not open push", doctor.Fail},
		"no mail server": {func(_ *testing.T, e map[string]string) { e["SMTP_ADDR"] = "127.0.0.1:1" }, "mail", "refused", doctor.Fail},
		"no NATS": {func(_ *testing.T, e map[string]string) {
			e["NATS_URL"] = "nats://" + password + "@127.0.0.1:1"
		}, "live traffic", "relay", doctor.Fail},
		"nobody works": {func(t *testing.T, e map[string]string) {
			t.Helper()
			sql(t, e, "INSERT INTO river_job (state, kind, queue, args, max_attempts, scheduled_at) VALUES "+
				"('available', 'send_mail', 'mail', '{}', 8, now() - interval '1 hour')")
		}, "queue", "nobody works", doctor.Fail},
		"lost work": {func(t *testing.T, e map[string]string) {
			t.Helper()
			sql(t, e, "INSERT INTO river_job (state, kind, queue, args, attempt, max_attempts, finalized_at) VALUES "+
				"('discarded', 'send_mail', 'mail', '{}', 8, 8, now())")
		}, "queue", "given up", doctor.Warn},
		"an old backup": {func(t *testing.T, e map[string]string) {
			t.Helper()
			e["HUB_BACKUP_DIR"] = t.TempDir()
			ok(t, os.WriteFile(filepath.Join(e["HUB_BACKUP_DIR"], "gatehouse-20260101T020000Z.age"), nil, 0o600))
		}, "backup", "old", doctor.Fail},
		"no backup": {func(*testing.T, map[string]string) {}, "backup", "not backed up", doctor.Warn},
		"no texts":  {func(*testing.T, map[string]string) {}, "legal texts", "imprint.md", doctor.Warn},
	} {
		t.Run(situation, func(t *testing.T) {
			t.Parallel()
			env := environment(t)
			env["SMTP_ADDR"], _ = caught(t)
			ran(t, env)
			c.change(t, env)
			want := 0
			if c.state == doctor.Fail {
				want = 1
			}
			by := findings(t, env, want)
			if f := by[c.name]; f.State != c.state || !strings.Contains(f.Text+" "+f.Mend, c.says) {
				t.Errorf("%s: %+v", c.name, f)
			}
			var text output
			_ = run(t.Context(), call{args: []string{"doctor"}, env: env, out: &text, err: &text})
			if strings.Contains(text.String(), password) || !strings.Contains(text.String(), c.name) {
				t.Errorf("printed:\n%s", text.String())
			}
			if c.name == "key file" {
				if _, err := os.Stat(keyPath(env["GATEHOUSE_DIR"])); strings.Contains(situation, "no key") && err == nil {
					t.Error("the doctor made a key file")
				}
			}
		})
	}
}

// ran leaves what a hub leaves that ran once: a key file, and a key of its own in the database.
func ran(t *testing.T, env map[string]string) {
	t.Helper()
	d, err := db.Open(t.Context(), env["DATABASE_URL"])
	ok(t, err)
	defer d.Close()
	keys, err := db.OpenKeyring(keyPath(env["GATEHOUSE_DIR"]))
	ok(t, err)
	cfg, err := loadConfig(env)
	ok(t, err)
	_, err = newPush(t.Context(), &db.PushDevices{DB: d, Keys: keys}, cfg)
	ok(t, err)
}

func sql(t *testing.T, env map[string]string, text string) {
	t.Helper()
	d, err := db.Open(t.Context(), env["DATABASE_URL"])
	ok(t, err)
	defer d.Close()
	_, err = d.Pool.Exec(t.Context(), text)
	ok(t, err)
}

// TestDoctor_apart: a clock that is not the database's is found.
func TestDoctor_apart(t *testing.T) {
	t.Parallel()
	look := doctor.Clock(time.Now, func(context.Context) time.Time { return time.Now().Add(-time.Hour) })
	if f := look(t.Context()); f.State != doctor.Fail || !strings.Contains(f.Text, "1h0m0s apart") {
		t.Errorf("%+v", f)
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/account/accounttest"
	"gatehouse/app/provider/webpush"
	"gatehouse/app/second"
	"gatehouse/app/staff"
	"gatehouse/cmd/hub/rig"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// asHub names the variable that makes this test program be the hub.
const asHub = "GATEHOUSE_TEST_AS_HUB"

func TestMain(m *testing.M) {
	if os.Getenv(asHub) != "" {
		main()
		return
	}
	dbtest.Main(m)
}

// unread runs a command as a process whose output nobody reads.
func unread(t *testing.T, env map[string]string, args ...string) *exec.Cmd {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), asHub+"=1"), w, w
	for k, v := range env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	if err := errors.Join(r.Close(), cmd.Start(), w.Close()); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// TestHub_unreadOutput: a command that prints ends when nobody reads it, as programs do before "| head"; one that serves goes on.
func TestHub_unreadOutput(t *testing.T) {
	t.Parallel()
	prints := unread(t, nil, "help")
	var exit *exec.ExitError
	if err := prints.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGPIPE {
		t.Errorf("hub help: %v, want an end by SIGPIPE", err)
	}
	env := environment(t)
	serves := unread(t, env, "serve")
	waitServing(t, "http://"+env["HUB_ADDR"]+"/readyz")
	if err := serves.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := serves.Wait(); err != nil {
		t.Errorf("hub serve: %v", err)
	}
}

// waitServing waits until an address answers.
func waitServing(t *testing.T, url string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	serving := rig.Until(ctx, func() bool {
		r, err := http.Get(url)
		if err != nil {
			return false
		}
		return r.Body.Close() == nil && r.StatusCode == http.StatusOK
	})
	if !serving {
		t.Fatalf("%s never answered", url)
	}
}

// output keeps what a command prints while it runs.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// logged waits for a log line with that message and returns its value of key.
func (o *output) logged(t *testing.T, msg, key string) string {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		for line := range strings.Lines(o.String()) {
			var l map[string]any
			if json.Unmarshal([]byte(line), &l) == nil && l["msg"] == msg {
				s, _ := l[key].(string)
				return s
			}
		}
	}
	t.Fatalf("never logged %q:\n%s", msg, o.String())
	return ""
}

func freePort(t *testing.T) string {
	t.Helper()
	p, err := rig.HoldPort()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Release() }) // nothing was written to it
	return p.Addr
}

func environment(t *testing.T) map[string]string {
	t.Helper()
	dir, err := os.MkdirTemp("", "gatehouse-hub-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"DATABASE_URL": dbtest.NewDSN(t), "HUB_ADDR": freePort(t), "GATEHOUSE_DIR": dir, "SMTP_ADDR": freePort(t), "AGENTD_BIN": "/bin/true",
		"RATES_URL": "http://" + freePort(t), // nobody outside is asked
	}
}

// start runs a command until the test ends, and returns what it prints and a way to end it that answers its exit code.
func start(t *testing.T, env map[string]string, args ...string) (*output, func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, done := &output{}, make(chan int, 1)
	go func() { done <- run(ctx, call{args: args, env: env, in: strings.NewReader(""), out: out, err: out}) }()
	end := sync.OnceValue(func() int {
		cancel()
		return <-done
	})
	t.Cleanup(func() { end() })
	return out, end
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

func TestServe(t *testing.T) {
	t.Parallel()
	env := environment(t)
	out, end := start(t, env, "serve")
	out.logged(t, "serving", "addr")
	_, port, _ := net.SplitHostPort(env["HUB_ADDR"])
	for _, host := range []string{"127.0.0.1", "localhost"} {
		if status, body := get(t, "http://"+net.JoinHostPort(host, port)+"/readyz"); status != http.StatusOK {
			t.Errorf("%s: %d %s", host, status, body)
		}
	}
	if status, body := get(t, "http://localhost:"+port+"/"); status != http.StatusOK || !strings.Contains(body, "<html") {
		t.Errorf("landing page: %d", status)
	}
	if status, _ := get(t, "http://localhost:"+port+"/dev/mail"); status != http.StatusNotFound {
		t.Errorf("/dev/mail in hub serve: %d, want 404", status)
	}
	if status, body := get(t, out.logged(t, "metrics", "url")); status != http.StatusOK || !strings.Contains(body, "gatehouse_links 0") {
		t.Errorf("metrics: %d", status)
	}
	if status, _ := get(t, "http://localhost:"+port+"/metrics"); status != http.StatusNotFound {
		t.Errorf("metrics on the public address: %d", status)
	}
	if code := end(); code != 0 {
		t.Errorf("exit %d:\n%s", code, out)
	}
	if !refusedSoon(env["HUB_ADDR"]) {
		t.Error("something still listens")
	}
}

// refusedSoon waits until nobody listens at addr. A process that another test is starting may hold a copy of the closed
// socket for a moment.
func refusedSoon(addr string) bool {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		c, err := net.DialTimeout("tcp", addr, time.Second)
		if err != nil {
			return true
		}
		_ = c.Close() // nothing was said
	}
	return false
}

func TestServe_refusals(t *testing.T) {
	t.Parallel()
	env := environment(t)
	taken, err := net.Listen("tcp", env["HUB_ADDR"])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	for situation, c := range map[string]struct {
		change func(map[string]string)
		says   string
	}{
		"port taken":       {func(map[string]string) {}, "HUB_ADDR=127.0.0.1:8081"},
		"open without TLS": {func(e map[string]string) { e["HUB_ADDR"] = "0.0.0.0:0" }, "HUB_BEHIND_TLS"},
		"no mail server":   {func(e map[string]string) { delete(e, "SMTP_ADDR") }, "SMTP_ADDR"},
		"model half set":   {func(e map[string]string) { e["MODEL_NAME"] = "example" }, "MODEL_BASE_URL"},
		"no such database": {func(e map[string]string) {
			e["DATABASE_URL"] = strings.Replace(e["DATABASE_URL"], "/test_", "/missing_", 1)
		}, "does not exist"},
		"key open to others": {func(e map[string]string) { e["GATEHOUSE_DIR"] = t.TempDir(); openKey(t, e) }, "chmod 600"},
	} {
		t.Run(situation, func(t *testing.T) {
			t.Parallel()
			mine := map[string]string{}
			for k, v := range env {
				mine[k] = v
			}
			c.change(mine)
			var out output
			if code := run(t.Context(), call{args: []string{"serve"}, env: mine, out: &out, err: &out}); code != 1 || !strings.Contains(out.String(), c.says) {
				t.Errorf("exit %d, want words about %s:\n%s", code, c.says, out.String())
			}
		})
	}
}

// TestServe_otherKey: a hub whose key file is not the one that the database's secrets were closed with says so, and how to mend
// it, instead of serving with half of its secrets.
func TestServe_otherKey(t *testing.T) {
	t.Parallel()
	env := environment(t)
	d, err := db.Open(t.Context(), env["DATABASE_URL"])
	ok(t, err)
	t.Cleanup(d.Close)
	ring, err := db.NewKeyring(bytes.Repeat([]byte{7}, 32))
	ok(t, err)
	_, err = (&db.HubSecrets{DB: d, Keys: ring}).Get(t.Context(), pushKey, webpush.NewKey)
	ok(t, err)
	var out output
	code := run(t.Context(), call{args: []string{"serve"}, env: env, out: &out, err: &out})
	if code != 1 || !strings.Contains(out.String(), "Put that file back") {
		t.Errorf("exit %d:\n%s", code, out.String())
	}
}

func openKey(t *testing.T, e map[string]string) {
	t.Helper()
	if err := os.WriteFile(keyPath(e["GATEHOUSE_DIR"]), bytes.Repeat([]byte{7}, 32), 0o644); err != nil {
		t.Error(err)
	}
}

func TestServe_dataBehindThisProgram(t *testing.T) {
	t.Parallel()
	env := environment(t)
	d, err := db.Open(t.Context(), env["DATABASE_URL"])
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Pool.Exec(t.Context(), "DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations)"); err != nil {
		t.Fatal(err)
	}
	var out output
	if code := run(t.Context(), call{args: []string{"serve"}, env: env, out: &out, err: &out}); code != 1 || !strings.Contains(out.String(), "hub migrate") {
		t.Errorf("exit %d:\n%s", code, out.String())
	}
}

func TestStaffCreate(t *testing.T) {
	t.Parallel()
	env := environment(t)
	create := func(password string) (int, string) {
		var out output
		code := run(t.Context(), call{
			args: []string{"staff", "create", "--email", "someone@example.com", "--role", "owner"}, env: env,
			in: strings.NewReader(password + "\n"), out: &out, err: &out,
		})
		return code, out.String()
	}
	if code, out := create("short"); code != 1 || !strings.Contains(out, "12 or more") {
		t.Errorf("weak password: %d %s", code, out)
	}
	code, out := create("three quiet bakers at dawn")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	_, rest, _ := strings.Cut(out, "secret  ")
	secret, _, _ := strings.Cut(rest, "\n")
	d, err := db.Open(t.Context(), env["DATABASE_URL"])
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	keys, err := db.OpenKeyring(keyPath(env["GATEHOUSE_DIR"]))
	if err != nil {
		t.Fatal(err)
	}
	s := &staff.Service{Store: &db.Staff{DB: d, Keys: keys}, Hasher: accounttest.Hasher(), Tries: account.NewTries(9, time.Minute, time.Now), Now: time.Now}
	m, err := s.Password(t.Context(), "Someone@example.com", "three quiet bakers at dawn")
	if err != nil {
		t.Fatal(err)
	}
	one, err := second.CodeAt(secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Code(t.Context(), m.ID, one); err != nil {
		t.Errorf("code of the printed secret: %v", err)
	}
	if code, out := create("three quiet bakers at dawn"); code != 1 || !strings.Contains(out, "already has this address") {
		t.Errorf("same address again: %d %s", code, out)
	}
}

package main

import (
	"crypto/ed25519"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"golang.org/x/crypto/ssh"

	"gatehouse/app/provider/target"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/db"
)

// TestProvision_dryRun: the plan names the order, the machine and each step in its order, and no secret.
func TestProvision_dryRun(t *testing.T) {
	t.Parallel()
	env := environment(t)
	env["MODEL_BASE_URL"], env["MODEL_NAME"], env["MODEL_API_KEY"] = "http://127.0.0.1:9/v1", "some-model", "sk-not-to-be-printed-1234567890"
	d, err := db.Open(t.Context(), env["DATABASE_URL"])
	ok(t, err)
	defer d.Close()
	srv, err := (&db.Servers{DB: d}).Find(t.Context(), ordered(t, d))
	ok(t, err)
	plan := func(args ...string) (int, string) {
		var out output
		code := run(t.Context(), call{args: append([]string{"provision"}, args...), env: env, out: &out, err: &out})
		return code, out.String()
	}
	code, text := plan("--dry-run", "--host", "machine.example", "--order", srv.OrderID, "--offline")
	if code != 0 || !strings.Contains(text, "machine.example") || !strings.Contains(text, "some-model") {
		t.Errorf("plan: %d %s", code, text)
	}
	at := 0
	for _, s := range setup.Steps() {
		i := strings.Index(text[at:], s.Name)
		if i < 0 || !strings.Contains(text, s.About()) {
			t.Errorf("step %s is missing or out of order: %s", s.Name, text)
			continue
		}
		at += i
	}
	_, whole := plan("--dry-run", "--host", "m", "--order", srv.OrderID, "--scripts", "--offline")
	if !strings.Contains(whole, "do_it() {") {
		t.Errorf("scripts: %s", whole)
	} else if strings.Contains(whole+text, env["MODEL_API_KEY"]) {
		t.Error("the plan prints the model's key")
	}
	for want, args := range map[int][]string{
		2: {"--host", "m", "--order", srv.OrderID}, // not dry
		1: {"--dry-run", "--host", "m", "--order", uuid.NewString()},
	} {
		if code, text := plan(args...); code != want {
			t.Errorf("%v: %d %s", args, code, text)
		}
	}
	if code, _ := plan("--dry-run", "--host", "m", "--order", "1001"); code != 2 {
		t.Errorf("an order that is no id: %d", code)
	}
}

// TestProvision_asked: a machine that lets the hub in is asked by the checks of the steps; of one that cannot be reached the plan says so.
func TestProvision_asked(t *testing.T) {
	t.Parallel()
	env := environment(t)
	tool := filepath.Join(t.TempDir(), "agentd")
	ok(t, os.WriteFile(tool, []byte("a program"), 0o700))
	env["AGENTD_BIN"] = tool
	cfg, err := loadConfig(env)
	ok(t, err)
	p, err := openParts(t.Context(), cfg, slog.New(slog.DiscardHandler)) // makes the hub's key
	ok(t, err)
	t.Cleanup(p.close)
	srv, err := p.servers.Find(t.Context(), ordered(t, p.db))
	ok(t, err)
	port, hubKey := checksOnly(t)
	plan := func(args ...string) string {
		var out output
		args = append([]string{"provision", "--dry-run", "--host", "127.0.0.1", "--order", srv.OrderID}, args...)
		if code := run(t.Context(), call{args: args, env: env, out: &out, err: &out}); code != 0 {
			t.Errorf("%v: %d", args, code)
		}
		return out.String()
	}
	text := plan("--port", port)
	for _, want := range []string{
		"Only checks ran there", "Its host key was not known before: ssh-ed25519 ", " 1  packages   already done",
		"10  agentd     would do",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q: %s", want, text)
		}
	}
	if got := hubKey(); got != target.KeyText(p.setup.Key.PublicKey()) {
		t.Errorf("it came in with %q", got)
	}
	if text := plan("--port", "1"); !strings.Contains(text, "The machine was not asked") {
		t.Errorf("unreachable: %s", text)
	}
}

// checksOnly is an SSH server that finds the first step done and no other, and the key with which somebody came in.
func checksOnly(t *testing.T) (port string, key func() string) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	ok(t, err)
	host, err := ssh.NewSignerFromKey(private)
	ok(t, err)
	var seen atomic.Value
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, k ssh.PublicKey) (*ssh.Permissions, error) {
		seen.Store(target.KeyText(k))
		return &ssh.Permissions{}, nil
	}}
	config.AddHostKey(host)
	door, err := net.Listen("tcp", "127.0.0.1:0")
	ok(t, err)
	t.Cleanup(func() { _ = door.Close() })
	go func() {
		raw, err := door.Accept()
		if err != nil {
			return
		}
		_, channels, requests, err := ssh.NewServerConn(raw, config)
		if err != nil {
			return
		}
		go ssh.DiscardRequests(requests)
		for c := range channels {
			channel, asked, err := c.Accept()
			if err != nil {
				return
			}
			for r := range asked {
				_ = r.Reply(r.Type == "exec", nil)
				script, _ := io.ReadAll(channel)
				status := []byte{0, 0, 0, 1}
				if strings.Contains(string(script), setup.Steps()[0].Script()) {
					status[3] = 0
				}
				_, _ = channel.SendRequest("exit-status", false, status)
				_ = channel.Close()
			}
		}
	}()
	_, port, err = net.SplitHostPort(door.Addr().String())
	ok(t, err)
	return port, func() string { return seen.Load().(string) }
}

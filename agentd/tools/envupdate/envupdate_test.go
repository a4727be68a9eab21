package envupdate_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/envread"
	"gatehouse/agentd/tools/envupdate"
	"gatehouse/agentd/vault/vaulttest"
	"gatehouse/agentd/wire"
)

const value = "canary-env-0123456789abcdef"

type world struct {
	*vaulttest.World
	data string
	tool *envupdate.Tool
}

func open(t *testing.T) *world {
	t.Helper()
	w := &world{data: t.TempDir()}
	w.World = vaulttest.New(t, w.tools)
	return w
}

func (w *world) tools(v *vaulttest.World) []gate.Tool {
	root, err := dataroot.Open(w.data, v.Dir)
	if err != nil {
		v.T.Fatal(err)
	}
	v.T.Cleanup(func() { _ = root.Close() })
	if w.tool, err = envupdate.New(root); err != nil {
		v.T.Fatal(err)
	}
	return []gate.Tool{w.tool, envread.New(root, v.Vault)}
}

func (w *world) write(name, text string) {
	w.T.Helper()
	p := filepath.Join(w.data, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		w.T.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o640); err != nil {
		w.T.Fatal(err)
	}
}

func (w *world) read(name string) string {
	w.T.Helper()
	b, err := os.ReadFile(filepath.Join(w.data, name))
	if err != nil {
		w.T.Fatal(err)
	}
	return string(b)
}

func update(path string, kv ...string) policy.EnvUpdateArgs {
	a := policy.EnvUpdateArgs{Path: path, Updates: map[string]string{}}
	for i := 0; i < len(kv); i += 2 {
		a.Updates[kv[i]] = kv[i+1]
	}
	return a
}

// direct runs a call as if a person had allowed it: changing what signs in is always asked.
func (w *world) direct(args policy.EnvUpdateArgs) (gate.Outcome, gate.Call) {
	w.T.Helper()
	c := w.Call("env_update", args)
	ctx, cancel := context.WithCancel(w.T.Context())
	defer cancel()
	o, err := w.Gate.Do(ctx, c, func(waits bool) {
		if waits {
			cancel()
		}
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return o, c
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.write("crm/.env", "# crm\nPORT=80\nNAME=old\nDB_PASSWORD=keep-this-one\n")
	o, _ := w.direct(update("crm/.env", "NAME", "new name", "PORT", "8080"))
	if o.State != wire.ToolDone || w.read("crm/.env") != "# crm\nPORT=8080\nNAME='new name'\nDB_PASSWORD=keep-this-one\n" {
		t.Errorf("%+v\n%s", o, w.read("crm/.env"))
	}
	if info, err := os.Stat(filepath.Join(w.data, "crm/.env")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode changed: %v", err)
	}
	if o, _ := w.direct(update("crm/none.env", "A", "b")); o.State == wire.ToolDone {
		t.Error("made a file")
	}
}

// TestUpdate_secret: the value comes from the vault for exactly this file and setting; no diff, receipt or record shows it.
func TestUpdate_secret(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.write("crm/.env", "MAIL_HOST=old\nSMTP_FROM=x\n")
	w.write("other/.env", "MAIL_HOST=old\n")
	w.Set("mail.host", value, wire.SecretBinding{Tool: "env_update", Field: "crm/.env#MAIL_HOST"})
	for what, args := range map[string]policy.EnvUpdateArgs{
		"another file":    update("other/.env", "MAIL_HOST", "SECRET_REF(mail.host)"),
		"another setting": update("crm/.env", "SMTP_FROM", "SECRET_REF(mail.host)"),
		"unknown":         update("crm/.env", "MAIL_HOST", "SECRET_REF(mail.nothing)"),
		"in the path":     update("SECRET_REF(mail.host)/.env", "MAIL_HOST", "x"),
		"within a value":  update("crm/.env", "MAIL_HOST", "x-SECRET_REF(mail.host)"),
	} {
		o, c := w.direct(args)
		if o.State != wire.ToolDenied || slices.Contains(w.Types(c), "call.started") {
			t.Errorf("%s: %+v", what, o)
		}
	}
	o, c := w.direct(update("crm/.env", "MAIL_HOST", "SECRET_REF(mail.host)"))
	if o.State != wire.ToolDone || w.read("crm/.env") != "MAIL_HOST="+value+"\nSMTP_FROM=x\n" || !slices.Contains(w.Types(c), "credential.leased") {
		t.Fatalf("%+v\n%s", o, w.read("crm/.env"))
	}
	if leaks := w.Leaks(value); len(leaks) > 0 {
		t.Errorf("the value lies in %v", leaks)
	}
	o, _ = w.Do("env_read", policy.EnvReadArgs{Path: "crm/.env", Keys: []string{"MAIL_HOST", "SMTP_FROM", "NONE"}})
	if o.Text != "MAIL_HOST=SECRET_REF(mail.host)\nSMTP_FROM=x\nNONE is not set\n" {
		t.Errorf("read as %q", o.Text)
	}
}

// TestStage_showsNoValue: neither the value before nor the one after stands in what a person, the hub and receipts see.
func TestStage_showsNoValue(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.write(".env", "DB_PASSWORD="+value+"\nPORT=80\n")
	args, err := json.Marshal(update(".env", "DB_PASSWORD", "SECRET_REF(db.password)", "PORT", "81"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.tool.Stage(t.Context(), "c", args)
	if err != nil || strings.Contains(s.Unified, value) || !strings.Contains(s.Unified, "-PORT=80\n+PORT=81\n") || !strings.Contains(s.Unified, "+DB_PASSWORD=SECRET_REF(db.password)\n") {
		t.Errorf("%+v, %v", s, err)
	}
	o, _ := w.Do("env_read", policy.EnvReadArgs{Path: ".env", Keys: []string{"DB_PASSWORD", "PORT"}})
	if strings.Contains(o.Text, value) || !strings.Contains(o.Text, "DB_PASSWORD=(hidden, 27 characters)\nPORT=80") {
		t.Errorf("read as %q", o.Text)
	}
	if o, _ := w.Do("env_read", policy.EnvReadArgs{Path: ".env"}); o.Text != "DB_PASSWORD\nPORT" {
		t.Errorf("names: %q", o.Text)
	}
}

// TestPaths: what is no file of settings beneath the folder is not opened.
func TestPaths(t *testing.T) {
	t.Parallel()
	w := open(t)
	outside := filepath.Join(t.TempDir(), ".env")
	if err := os.WriteFile(outside, []byte("A="+value+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.write("real/.env", "A=b\n")
	w.write(".ssh/.env", "A="+value+"\n")
	for link, to := range map[string]string{"link.env": outside, "folder": filepath.Dir(outside)} {
		if err := os.Symlink(to, filepath.Join(w.data, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(outside, filepath.Join(w.data, "hard.env")); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"link.env", "folder/.env", "hard.env", "../.env", ".ssh/.env", "real", "notes.txt", "/etc/environment", "real/.env/"} {
		o, _ := w.Do("env_read", policy.EnvReadArgs{Path: p, Keys: []string{"A"}})
		if o.State == wire.ToolDone || strings.Contains(o.Text, value) {
			t.Errorf("%s: %+v", p, o)
		}
	}
}

// TestCrash: what a crash leaves next to the file may hold a secret; the next start removes it.
func TestCrash(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.write("crm/.env", "A=b\n")
	w.write("crm/.gatehouse-c1", "A="+value+"\n")
	journal := filepath.Join(w.Dir, "env-updates")
	if err := os.MkdirAll(journal, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(journal, "c1"), []byte("crm/.gatehouse-c1"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Stop()
	w.Start(w.tools)
	if _, err := os.Stat(filepath.Join(w.data, "crm/.gatehouse-c1")); !os.IsNotExist(err) {
		t.Error("it is still there")
	}
	if left, err := os.ReadDir(journal); err != nil || len(left) > 0 || w.read("crm/.env") != "A=b\n" {
		t.Errorf("%v, %v", left, err)
	}
}

// TestUpdate_secretBehindLink: a link gives no file the name that a secret is bound to. Other settings may be changed there.
func TestUpdate_secretBehindLink(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.write("public/.env", "MAIL_HOST=old\n")
	if err := os.Symlink("public", filepath.Join(w.data, "shop")); err != nil {
		t.Fatal(err)
	}
	w.Set("mail.host", value, wire.SecretBinding{Tool: "env_update", Field: "shop/.env#MAIL_HOST"})
	o, c := w.direct(update("shop/.env", "MAIL_HOST", "SECRET_REF(mail.host)"))
	if o.State == wire.ToolDone || !strings.Contains(o.Text, "public/.env") || w.read("public/.env") != "MAIL_HOST=old\n" {
		t.Errorf("%+v\n%s", o, w.read("public/.env"))
	}
	if slices.Contains(w.Types(c), "credential.leased") {
		t.Error("the secret was leased")
	}
	if o, _ := w.direct(update("shop/.env", "MAIL_HOST", "mail.example.com")); o.State != wire.ToolDone || w.read("public/.env") != "MAIL_HOST=mail.example.com\n" {
		t.Errorf("%+v\n%s", o, w.read("public/.env"))
	}
}

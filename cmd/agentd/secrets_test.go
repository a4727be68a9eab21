package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/store"
	"gatehouse/agentd/vault"
)

// stateDir is a fresh state directory.
func stateDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// want runs a command that must do.
func want(t *testing.T, in string, args ...string) string {
	t.Helper()
	out, errOut, code := invoke(t, in, args...)
	if code != 0 {
		t.Fatalf("%v: exit %d: %s", args, code, errOut)
	}
	return out
}

const typed = "canary-typed-0123456789abcdef"

// TestSecrets goes through a secret's life at the command line; no value ever comes out, or lies in a file.
func TestSecrets(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	var said strings.Builder
	do := func(in string, args ...string) string {
		t.Helper()
		out := want(t, in, append([]string{"secrets", args[0], "--state", dir}, args[1:]...)...)
		said.WriteString(out)
		return out
	}
	do(typed+"\n", "set", "--kind", "token", "crm.api_key")
	do("", "generate", "--length", "40", "db.password")
	do("", "bind", "--to", "http_request:https://CRM.example.com#header=x-api-key", "--to", "http_request:http://127.0.0.1:8080#field=a.b", "crm.api_key")
	list := do("", "list")
	for _, part := range []string{"crm.api_key", "token", "https://crm.example.com:443 header X-Api-Key; http://127.0.0.1:8080 field a.b", "db.password", "nothing"} {
		if !strings.Contains(list, part) {
			t.Errorf("the list lacks %q:\n%s", part, list)
		}
	}
	do(typed+"-2", "rotate", "crm.api_key")
	do("", "rotate", "--generate", "db.password")
	if out := do("", "rollback", "--to", "1", "crm.api_key"); !strings.Contains(out, "version 3") {
		t.Error(out)
	}
	if out := do("", "versions", "crm.api_key"); !regexp.MustCompile(`3 +current`).MatchString(out) || !regexp.MustCompile(`2 +former`).MatchString(out) {
		t.Error(out)
	}
	do("A_ONE="+typed+"-3\nB_TWO='x y'\n", "import", "-")
	do("", "rekey")
	do("", "bind", "--none", "crm.api_key")
	do("", "remove", "b.two")
	audit := do("", "audit")
	for _, act := range []string{"set", "generate", "bind", "rollback", "import", "rekey", "remove"} {
		if !regexp.MustCompile(`(?m) ` + act + ` `).MatchString(audit) {
			t.Errorf("the audit lacks %s:\n%s", act, audit)
		}
	}
	if strings.Contains(said.String(), "canary") {
		t.Error("a value was printed")
	}
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		if strings.Contains(string(b), "canary-typed") {
			t.Errorf("%s holds a value", e.Name())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestSecrets_refusals(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	want(t, typed, "secrets", "set", "--state", dir, "crm.api_key")
	wide := filepath.Join(t.TempDir(), "wide.env")
	if err := os.WriteFile(wide, []byte("A_B=x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		in   string
		args []string
	}{
		"a value in the arguments": {"", []string{"set", "--state", dir, "crm.api_key=" + typed}},
		"a second argument":        {"", []string{"set", "--state", dir, "crm.api_key", typed}},
		"nothing typed":            {"\n", []string{"set", "--state", dir, "crm.api_key"}},
		"a wildcard":               {"", []string{"bind", "--state", dir, "--to", "http_request:https://*.example.com#header=X", "crm.api_key"}},
		"a path":                   {"", []string{"bind", "--state", dir, "--to", "http_request:https://example.com/a#header=X", "crm.api_key"}},
		"a tool that takes none":   {"", []string{"bind", "--state", dir, "--to", "shell:https://example.com#header=X", "crm.api_key"}},
		"no place":                 {"", []string{"bind", "--state", dir, "crm.api_key"}},
		"unknown":                  {"", []string{"bind", "--state", dir, "--none", "crm.nothing"}},
		"a wide file":              {"", []string{"import", "--state", dir, wide}},
		"too easy":                 {"", []string{"generate", "--state", dir, "--length", "8", "a.b"}},
		"no version":               {"", []string{"rollback", "--state", dir, "--to", "9", "crm.api_key"}},
	} {
		out, errOut, code := invoke(t, c.in, append([]string{"secrets"}, c.args...)...)
		if code == 0 || strings.Contains(out, "canary") || what != "a second argument" && what != "a value in the arguments" && strings.Contains(errOut, "canary") {
			t.Errorf("%s: exit %d, %s%s", what, code, out, errOut)
		}
	}
}

// TestSecrets_besideAgentd: the command works while agentd runs, and returns when agentd redacts the value.
func TestSecrets_besideAgentd(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	db, err := store.Open(dir, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	v, err := vault.Open(t.Context(), db, agentd.VaultKeys(dir), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	known := make(chan []redact.Known, 16)
	if err := v.Subscribe(func(k []redact.Known) { known <- k }); err != nil {
		t.Fatal(err)
	}
	<-known
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); v.Run(ctx, func(err error) { t.Error(err) }) }()
	want(t, typed, "secrets", "set", "--state", dir, "crm.api_key")
	select {
	case k := <-known:
		if len(k) != 1 || k[0].Value != typed {
			t.Error("agentd knows something else")
		}
	default:
		t.Error("the command returned before agentd redacts the value")
	}
	want(t, "", "secrets", "rekey", "--state", dir)
	if _, err := v.List(t.Context()); err != nil {
		t.Errorf("after another process has changed the key: %v", err)
	}
	stop()
	<-ended
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

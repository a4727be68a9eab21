package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEnvFile: one file serves the operator at the terminal and, through what systemd hands over, the services.
func TestEnvFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine, handed := filepath.Join(dir, "database.url"), t.TempDir()
	ok(t, os.WriteFile(mine, []byte("postgres://root/mine\n"), 0o600))
	ok(t, os.WriteFile(filepath.Join(handed, "secrets_database.url"), []byte("postgres://unit/handed\n"), 0o600))
	file := filepath.Join(dir, "hub.env")
	text := "# the hub\n\nMAIL_FROM=\"Gatehouse <hub@example.com>\"\nLOG_LEVEL=warn\nDATABASE_URL_FILE=" + mine + "\n"
	ok(t, os.WriteFile(file, []byte(text), 0o600))
	c := call{args: []string{"--env", file, "doctor"}, env: map[string]string{"LOG_LEVEL": "error"}}
	ok(t, c.withEnvFile())
	if len(c.args) != 1 || c.env["MAIL_FROM"] != "Gatehouse <hub@example.com>" || c.env["LOG_LEVEL"] != "error" {
		t.Fatalf("%v %v", c.args, c.env)
	}
	for credentials, want := range map[string]string{"": "postgres://root/mine", handed: "postgres://unit/handed"} {
		c.env["CREDENTIALS_DIRECTORY"] = credentials
		cfg, err := loadConfig(c.env)
		ok(t, err)
		if cfg.DatabaseURL != want {
			t.Errorf("with credentials in %q: %s", credentials, cfg.DatabaseURL)
		}
	}
	for text, says := range map[string]string{"nonsense\n": "line 1", "A=1\nB C=2\n": "line 2"} {
		ok(t, os.WriteFile(file, []byte(text), 0o600))
		wrong := call{args: []string{"--env", file, "doctor"}}
		if err := wrong.withEnvFile(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestKeyFile_named: a key that the operator names is never made anew by a hub.
func TestKeyFile_named(t *testing.T) {
	t.Parallel()
	env := environment(t)
	env["HUB_KEY_FILE"] = filepath.Join(t.TempDir(), "secret.key")
	if code, out := hubSays(t, env, "", "serve"); code != 1 || !strings.Contains(out, "head -c 32 /dev/urandom") {
		t.Errorf("exit %d: %s", code, out)
	}
	if _, err := os.Stat(env["HUB_KEY_FILE"]); err == nil {
		t.Error("it was made")
	}
}

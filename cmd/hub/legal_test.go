package main

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// legalDir is a folder with texts of an operator.
func legalDir(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoadConfig_contact(t *testing.T) {
	t.Parallel()
	good := map[string]string{
		"HUB_CONTACT_EMAIL": "help@example.com", "HUB_CONTACT_PHONE": "+43 (1) 234-567", "HUB_CONTACT_TEXT": "Mondays to Fridays",
	}
	if _, err := loadConfig(good); err != nil {
		t.Error(err)
	}
	_, err := loadConfig(map[string]string{
		"HUB_CONTACT_EMAIL": "Help <help@example.com>", "HUB_CONTACT_PHONE": "call me", "HUB_CONTACT_TEXT": "a\nb",
	})
	for _, want := range []string{"HUB_CONTACT_EMAIL", "HUB_CONTACT_PHONE", "HUB_CONTACT_TEXT"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("says nothing about %s: %v", want, err)
		}
	}
	if _, err := loadConfig(map[string]string{"HUB_CONTACT_TEXT": "Mondays"}); err == nil {
		t.Error("a line beside nothing was accepted")
	}
}

// TestServe_legal: a hub names once, at start, which pages its operator has not written; those that are written are served and
// linked.
func TestServe_legal(t *testing.T) {
	t.Parallel()
	env := environment(t)
	env["HUB_LEGAL_DIR"] = legalDir(t, map[string]string{"terms.md": "# Our terms\n\nBe kind.", "imprint.md": "\n"})
	out, _ := start(t, env, "serve")
	missing := out.logged(t, "pages that customers look for are missing", "missing")
	if missing != "privacy.md, imprint.md, HUB_CONTACT_EMAIL" {
		t.Errorf("missing: %s", missing)
	}
	out.logged(t, "serving", "addr")
	if n := strings.Count(out.String(), "are missing"); n != 1 {
		t.Errorf("warned %d times", n)
	}
	_, port, _ := net.SplitHostPort(env["HUB_ADDR"])
	if status, body := get(t, "http://localhost:"+port+"/terms"); status != http.StatusOK || !strings.Contains(body, "Be kind.") {
		t.Errorf("the terms: %d", status)
	}
	status, body := get(t, "http://localhost:"+port+"/")
	if status != http.StatusOK || !strings.Contains(body, `href="/terms"`) || strings.Contains(body, `href="/privacy"`) {
		t.Errorf("the landing page: %d", status)
	}
}

// TestServe_legalComplete: an operator who has written everything is not warned.
func TestServe_legalComplete(t *testing.T) {
	t.Parallel()
	env := environment(t)
	env["HUB_CONTACT_EMAIL"] = "help@example.com"
	env["HUB_LEGAL_DIR"] = legalDir(t, map[string]string{"terms.md": "x", "privacy.de.md": "x", "imprint.md": "x"})
	out, _ := start(t, env, "serve")
	out.logged(t, "serving", "addr")
	if strings.Contains(out.String(), "are missing") {
		t.Error("warned of nothing")
	}
}

func TestServe_legalRefused(t *testing.T) {
	t.Parallel()
	env := environment(t)
	for situation, c := range map[string]struct{ dir, says string }{
		"no folder": {filepath.Join(t.TempDir(), "none"), "no such file"},
		"too long":  {legalDir(t, map[string]string{"terms.md": strings.Repeat("x", 300<<10)}), "terms.md: longer than 256 KB"},
		"no text":   {legalDir(t, map[string]string{"privacy.md": "\xff"}), "privacy.md: not a text"},
	} {
		mine := map[string]string{}
		for k, v := range env {
			mine[k] = v
		}
		mine["HUB_LEGAL_DIR"] = c.dir
		var out output
		code := run(t.Context(), call{args: []string{"serve"}, env: mine, out: &out, err: &out})
		if code != 1 || !strings.Contains(out.String(), "HUB_LEGAL_DIR") || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: exit %d:\n%s", situation, code, out.String())
		}
	}
}

package external_test

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/vault/external"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	good := external.Config{
		Address: "https://vault.example.com:8200", Mount: "secret", Login: "approle", TokenFile: "/run/token", Every: time.Minute, MaxAge: time.Hour,
	}
	if wrong := good.Check(); len(wrong) > 0 {
		t.Error(wrong)
	}
	if wrong := (external.Config{}).Check(); len(wrong) > 0 {
		t.Error(wrong)
	}
	for what, change := range map[string]func(c *external.Config){
		"AGENTD_KV_ADDR":            func(c *external.Config) { c.Address = "http://vault.example.com:8200" },
		"AGENTD_KV_ADDR must":       func(c *external.Config) { c.Address = "https://user:word@vault.example.com" },
		"AGENTD_KV_ADDR must be":    func(c *external.Config) { c.Address = "https://vault.example.com/v1" },
		"AGENTD_KV_ADDR is":         func(c *external.Config) { c.Address = "ftp://vault.example.com" },
		"AGENTD_KV_MOUNT":           func(c *external.Config) { c.Mount = "../sys" },
		"AGENTD_KV_MOUNT is":        func(c *external.Config) { c.Mount = "" },
		"AGENTD_KV_NAMESPACE":       func(c *external.Config) { c.Namespace = "a\r\nX-Evil: b" },
		"AGENTD_KV_CA_FILE":         func(c *external.Config) { c.CAFile = "ca.pem" },
		"AGENTD_KV_EVERY":           func(c *external.Config) { c.Every = 0 },
		"AGENTD_KV_MAX_AGE":         func(c *external.Config) { c.MaxAge = 4 * time.Minute },
		"AGENTD_KV_TOKEN_FILE":      func(c *external.Config) { c.TokenFile = "token" },
		"AGENTD_KV_ADDR needs":      func(c *external.Config) { c.TokenFile = "" },
		", not both":                func(c *external.Config) { c.RoleID = "r" },
		"need each other":           func(c *external.Config) { c.TokenFile, c.RoleID = "", "r" },
		"AGENTD_KV_ROLE_ID and":     func(c *external.Config) { c.TokenFile, c.SecretIDFile = "", "/run/id" },
		"AGENTD_KV_LOGIN":           func(c *external.Config) { c.TokenFile, c.RoleID, c.SecretIDFile, c.Login = "", "r", "/run/id", "a//b" },
		"AGENTD_KV_MAX_AGE is 800h": func(c *external.Config) { c.MaxAge = 800 * time.Hour },
	} {
		c := good
		change(&c)
		if err := errors.Join(c.Check()...); err == nil || !strings.Contains(err.Error(), what) || strings.Contains(err.Error(), "word") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, address := range []string{"http://127.0.0.1:8200", "http://localhost:8200/", "http://[::1]:8200", "https://10.0.0.1"} {
		c := good
		c.Address = address
		if wrong := c.Check(); len(wrong) > 0 {
			t.Errorf("%s: %v", address, wrong)
		}
	}
}

// TestNew_badAuthority: settings that cannot work end the start, not the first look.
func TestNew_badAuthority(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, file := range []string{w.file("empty.pem", "no certificate", 0o600), filepath.Join(w.dir, "none")} {
		c := w.cfg
		c.CAFile = file
		if _, err := external.New(c, w.Vault, w.now, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "AGENTD_KV_CA_FILE") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoadConfig_defaults(t *testing.T) {
	t.Parallel()
	c, err := loadConfig(map[string]string{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Addr != "127.0.0.1:8080" || c.PublicURL != "http://localhost:8080" || c.Dir != "./var" ||
		filepath.Base(c.AgentdBin) != "agentd" {
		t.Errorf("defaults %+v", c)
	}
	c, err = loadConfig(map[string]string{"HUB_ADDR": "127.0.0.1:9999"})
	if err != nil || c.PublicURL != "http://localhost:9999" {
		t.Errorf("public URL %q, %v", c.PublicURL, err)
	}
}

func TestLoadConfig_reportsEverythingAtOnce(t *testing.T) {
	t.Parallel()
	_, err := loadConfig(map[string]string{
		"HUB_ADDR": "nowhere", "HUB_METRICS_ADDR": "0.0.0.0:9090", "SMTP_ADDR": "mail", "MAIL_FROM": "nobody",
		"MODEL_NAME": "example", "MODEL_API_KEY": "sk-example", "LOG_LEVEL": "loud", "HUB_BEHIND_TLS": "perhaps",
	})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		"HUB_ADDR", "HUB_METRICS_ADDR", "SMTP_ADDR", "MAIL_FROM", "MODEL_BASE_URL and MODEL_NAME", "MODEL_API_KEY", "LogLevel", "BehindTLS",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("says nothing about %s:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "sk-example") {
		t.Errorf("prints a secret:\n%v", err)
	}
}

func TestLoadConfig_secretsFromFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("sk-example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	model := map[string]string{"MODEL_BASE_URL": "http://127.0.0.1:1/v1", "MODEL_NAME": "example", "MODEL_API_KEY_FILE": path}
	c, err := loadConfig(model)
	if err != nil || c.ModelAPIKey != "sk-example" {
		t.Fatalf("key %q, %v", c.ModelAPIKey, err)
	}
	model["MODEL_API_KEY"] = "sk-other"
	if _, err := loadConfig(model); err == nil || !strings.Contains(err.Error(), "both set") {
		t.Errorf("both ways: %v", err)
	}
	if _, err := loadConfig(map[string]string{"DATABASE_URL_FILE": path + "-missing"}); err == nil {
		t.Error("a missing file was accepted")
	}
}

func TestLoadConfig_names(t *testing.T) {
	t.Parallel()
	for situation, c := range map[string]struct {
		set map[string]string
		bad string // named in the error; empty: accepted
	}{
		"nothing set":       {nil, ""},
		"by hand":           {map[string]string{"HUB_DNS": "manual", "HUB_DNS_ZONE": "Hosted.Example.com."}, ""},
		"Cloudflare":        {map[string]string{"HUB_DNS": "cloudflare", "HUB_DNS_ZONE": "x.example", "HUB_DNS_TOKEN": "t0ken"}, ""},
		"no such provider":  {map[string]string{"HUB_DNS": "bind"}, "HUB_DNS:"},
		"no zone":           {map[string]string{"HUB_DNS": "manual"}, "HUB_DNS_ZONE"},
		"a zone of nobody":  {map[string]string{"HUB_DNS_ZONE": "x.example"}, "HUB_DNS_ZONE"},
		"no token":          {map[string]string{"HUB_DNS": "cloudflare", "HUB_DNS_ZONE": "x.example"}, "HUB_DNS_TOKEN"},
		"an idle token":     {map[string]string{"HUB_DNS_TOKEN": "t0ken"}, "HUB_DNS_TOKEN"},
		"no API":            {map[string]string{"HUB_DNS": "powerdns", "HUB_DNS_ZONE": "x.example", "HUB_DNS_TOKEN": "t0ken"}, "HUB_DNS_URL"},
		"a token in clear":  {map[string]string{"HUB_DNS": "powerdns", "HUB_DNS_ZONE": "x.example", "HUB_DNS_TOKEN": "t0ken", "HUB_DNS_URL": "http://dns.example:8081"}, "HUB_DNS_URL"},
		"no resolver":       {map[string]string{"HUB_DNS_RESOLVER": "localhost"}, "HUB_DNS_RESOLVER"},
		"gives up at once":  {map[string]string{"HUB_DNS_GIVE_UP": "1s"}, "HUB_DNS_GIVE_UP"},
		"a test for others": {map[string]string{"HUB_DNS_PORT": "5353", "HUB_BEHIND_TLS": "1"}, "HUB_DNS_PORT"},
	} {
		cfg, err := loadConfig(c.set)
		if (err == nil) != (c.bad == "") || err != nil && !strings.Contains(err.Error(), c.bad) {
			t.Errorf("%s: %v", situation, err)
		}
		if err != nil && strings.Contains(err.Error(), "t0ken") {
			t.Errorf("%s: prints a secret", situation)
		}
		if situation == "by hand" && cfg.DNSZone != "hosted.example.com" {
			t.Errorf("zone %q", cfg.DNSZone)
		}
	}
}

func TestConfig_needs(t *testing.T) {
	t.Parallel()
	c := config{}
	if err := c.needs(); err == nil || !strings.Contains(err.Error(), "DATABASE_URL") || !strings.Contains(err.Error(), "SMTP_ADDR") {
		t.Errorf("needs: %v", err)
	}
}

func TestRun_help(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--help"}, {"serve", "--help"}, {"staff", "create", "--help"}} {
		var out bytes.Buffer
		if code := run(t.Context(), call{args: args, out: &out, err: &out}); code != 0 {
			t.Errorf("%v: exit %d", args, code)
		}
		for f := range fields() {
			if name := f.Tag.Get("env"); f.Tag.Get("doc") == "" || !strings.Contains(out.String(), name) {
				t.Errorf("%v: %s is not explained", args, name)
			}
		}
	}
	for _, args := range [][]string{{}, {"nonsense"}, {"serve", "--nonsense"}, {"staff", "remove"}} {
		var out bytes.Buffer
		if code := run(t.Context(), call{args: args, out: &out, err: &out}); code != 2 {
			t.Errorf("%v: exit %d, want 2", args, code)
		}
	}
}

// TestRunDev_openWithoutTLS: an address that others reach is refused before anything is made.
func TestRunDev_openWithoutTLS(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	c := config{
		Addr:        "0.0.0.0:0",
		PublicURL:   "http://localhost:8080",
		Dir:         t.TempDir(),
		DatabaseURL: "postgres://of-yours",
		AgentdBin:   "/bin/true",
	}
	if err := runDev(ended, call{out: io.Discard, err: io.Discard}, c); err == nil || !strings.Contains(err.Error(), "HUB_BEHIND_TLS=1") {
		t.Errorf("in the clear: %v", err)
	}
	if left, err := os.ReadDir(c.Dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

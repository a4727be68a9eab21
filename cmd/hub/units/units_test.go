package units

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// analyze runs systemd-analyze. Without it the test fails: that a unit was never checked must not look like a good one.
func analyze(t *testing.T, args ...string) (string, error) {
	t.Helper()
	bin, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Fatal("systemd-analyze is missing, so the shipped units were not checked: install the package systemd")
	}
	out, err := exec.Command(bin, args...).CombinedOutput()
	return string(out), err
}

func services() (names []string) {
	for _, name := range Names() {
		if strings.HasSuffix(name, ".service") {
			names = append(names, name)
		}
	}
	return names
}

func TestUnits_security(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range services() {
		out, err := analyze(t, "security", "--offline=true", "--no-pager", "--threshold=16", filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		t.Log(strings.TrimSpace(out[max(strings.LastIndex(out, "→"), 0):]))
	}
	loose := filepath.Join(dir, "loose.service")
	if err := os.WriteFile(loose, []byte("[Service]\nExecStart=/bin/true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := analyze(t, "security", "--offline=true", "--no-pager", "--threshold=16", loose); err == nil {
		t.Errorf("a unit without any protection passes: %s", out)
	}
}

// TestUnits_verify: systemd understands every line. The program itself need not be installed here.
func TestUnits_verify(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	hub := filepath.Join(dir, "hub")
	if err := os.WriteFile(hub, []byte("#!/bin/true\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) string {
		path := filepath.Join(dir, strings.Replace(name, "@.", "@8081.", 1))
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "/usr/local/bin/hub", hub)), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var all []string
	for _, name := range Names() {
		text, err := Text(name)
		if err != nil {
			t.Fatal(err)
		}
		if path := put(name, text); strings.HasSuffix(name, ".service") || strings.HasSuffix(name, ".timer") {
			all = append(all, path)
		}
	}
	if out, err := analyze(t, append([]string{"verify", "--man=no"}, all...)...); err != nil || strings.Contains(out, dir) {
		t.Errorf("%v: %s", err, out)
	}
	text, err := Text("gatehouse-work.service")
	if err != nil {
		t.Fatal(err)
	}
	wrong := put("wrong.service", strings.Replace(text, "ProtectSystem=strict", "ProtectSistem=strict", 1))
	if out, _ := analyze(t, "verify", "--man=no", wrong); !strings.Contains(out, "ProtectSistem") {
		t.Errorf("a line that systemd does not know passes: %s", out)
	}
}

// TestUnits_say: what the parts of the hub rely on.
func TestUnits_say(t *testing.T) {
	t.Parallel()
	all := map[string]string{}
	for _, name := range services() {
		text, err := Text(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = text
		for _, want := range []string{
			"\nUser=gatehouse\n", "\nLoadCredential=secrets:/etc/gatehouse/secrets\n", "\nEnvironmentFile=/etc/gatehouse/hub.env\n",
			"\nProtectSystem=strict\n", "\nLimitCORE=0\n", "\nUMask=0077\n",
			"169.254.169.254", "\nSystemCallFilter=~@privileged @resources\n",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", name, strings.TrimSpace(want))
			}
		}
		if after, _, _ := strings.Cut(text[strings.Index(text, "\nAfter="):][1:], "\n"); !strings.Contains(after, "postgresql.service") {
			t.Errorf("%s may start before the database: %s", name, after)
		}
	}
	for _, name := range []string{"gatehouse-hub@.service", "gatehouse-work.service"} {
		for _, want := range []string{"\nType=notify\n", "\nRestart=always\n", "\nTimeoutStopSec=60s\n"} {
			if !strings.Contains(all[name], want) {
				t.Errorf("%s lacks %q", name, strings.TrimSpace(want))
			}
		}
	}
}

func TestWrite_keepsWhatAnOperatorChanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	changed := filepath.Join(dir, "gatehouse-work.service")
	if err := os.WriteFile(changed, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir); err == nil || !strings.Contains(err.Error(), "gatehouse-work.service is there and differs") {
		t.Errorf("%v", err)
	}
	if b, err := os.ReadFile(changed); err != nil || string(b) != "mine" {
		t.Errorf("%s, %v", b, err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "gatehouse-backup.timer")); err != nil || len(b) == 0 {
		t.Errorf("the others were not written: %v", err)
	}
}

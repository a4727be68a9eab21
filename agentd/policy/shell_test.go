package policy_test

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"gatehouse/agentd/policy"
)

var env = policy.Env{Root: "/opt/gatehouse", State: "/opt/state", Inside: []string{"owner@example.com"}}

// corpus reads lines of testdata: comments and empty lines are skipped, a line in double quotes is a Go string.
func corpus(t testing.TB, name string) []string {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []string
	for s := bufio.NewScanner(f); s.Scan(); {
		line := s.Text()
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		if u, err := strconv.Unquote(line); err == nil && line[0] == '"' {
			line = u
		}
		out = append(out, line)
	}
	return out
}

func TestShell_harmlessIsGreen(t *testing.T) {
	t.Parallel()
	lines := corpus(t, "shell_harmless.txt")
	if len(lines) < 100 {
		t.Fatalf("only %d lines", len(lines))
	}
	for _, line := range lines {
		if c := policy.Shell(line, env); c.Tier != policy.Green {
			t.Errorf("%q is %s: %s", line, c.Tier, c.Why)
		}
	}
}

func TestShell_adversarialIsNeverLess(t *testing.T) {
	t.Parallel()
	lines := adversarial(t)
	if len(lines) < 150 {
		t.Fatalf("only %d lines", len(lines))
	}
	for _, l := range lines {
		c := policy.Shell(l.command, env)
		if c.Tier.Rank() < l.least.Rank() {
			t.Errorf("%q is %s, must be at least %s", l.command, c.Tier, l.least)
		}
		if c.Tier != l.least && l.least != policy.Forbidden {
			t.Logf("%q is %s, stricter than %s", l.command, c.Tier, l.least)
		}
	}
}

// TestShell_unitsOfOthers: a unit is not one that agents run in because its name begins like that of one.
func TestShell_unitsOfOthers(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"user-sync", "user-api.service", "session-store", "gatehouse-web", "agentdoctor"} {
		if c := policy.Shell("systemctl restart "+unit, env); c.Tier != policy.Yellow {
			t.Errorf("%s is %s: %s", unit, c.Tier, c.Why)
		}
	}
}

type line struct {
	least   policy.Tier
	command string
}

func adversarial(t testing.TB) []line {
	t.Helper()
	var out []line
	for _, l := range corpus(t, "shell_adversarial.txt") {
		tier, command, _ := strings.Cut(l, " ")
		if policy.Tier(tier).Rank() == policy.Forbidden.Rank() && tier != string(policy.Forbidden) {
			t.Fatalf("%q names no tier", l)
		}
		if strings.HasPrefix(command, `"`) {
			if u, err := strconv.Unquote(command); err == nil {
				command = u
			}
		}
		out = append(out, line{policy.Tier(tier), command})
	}
	return out
}

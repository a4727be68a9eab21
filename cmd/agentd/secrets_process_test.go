package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/vault"
	"gatehouse/agentd/wire"
)

// seedName and seedValue are what provisioning leaves in these tests.
func seedName(i int) string  { return fmt.Sprintf("TOOL%d_ADMIN_PASSWORD", i) }
func seedValue(i int) string { return fmt.Sprintf("canary-seed-%d-0123456789abcdef", i) }

// TestProcess_secrets runs the shipped binary: it takes in what provisioning left, works with the operator's commands
// beside it, answers the hub, and is killed in between. No value ever lies in a file, in the log, in an answer, or in
// what other processes can see of it.
func TestProcess_secrets(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := start(t, h)
	s.kill()
	var lines strings.Builder
	for i := range 55 {
		fmt.Fprintf(&lines, "%s=%s\n", seedName(i), seedValue(i))
	}
	const pin = "7-OfEm!"
	lines.WriteString("DOOR_PIN=" + pin + "\n")
	seed := filepath.Join(s.state, vault.SeedFile)
	if err := os.WriteFile(seed, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s.back()
	if _, err := os.Stat(seed); !os.IsNotExist(err) {
		t.Error("the file of credentials is still there")
	}
	if got := len(s.secrets()); got != 56 {
		t.Fatalf("%d secrets of 56", got)
	}
	if said := s.log.String(); !strings.Contains(said, `hidden only where their names stand beside them","names":["door.pin"]`) || strings.Contains(said, pin) {
		t.Errorf("of a short value it said:\n%s", said)
	}
	s.command(typed, "secrets", "set", "--state", s.state, "crm.api_key")
	s.command("", "secrets", "rekey", "--state", s.state)
	s.kill()
	s.back()
	list := s.secrets()
	if len(list) != 57 || list[0].Name != "crm.api_key" || list[0].Version != 1 {
		t.Errorf("%d secrets, first %+v", len(list), list[0])
	}
	s.noCanary()
}

// secrets asks the server over the link.
func (s *server) secrets() []wire.SecretInfo {
	s.t.Helper()
	r := s.hub.ask(wire.MethodSecretsList, struct{}{})
	if r.Error != nil || strings.Contains(string(r.Result), "canary") {
		s.t.Fatalf("%+v", r)
	}
	var all wire.SecretsResult
	if err := json.Unmarshal(r.Result, &all); err != nil {
		s.t.Fatal(err)
	}
	return all.Items
}

// command runs the shipped binary beside the server.
func (s *server) command(in string, args ...string) {
	s.t.Helper()
	path, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.CommandContext(s.t.Context(), path, args...)
	cmd.Stdin = strings.NewReader(in)
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "canary") {
		s.t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// noCanary looks where a value could have got to.
func (s *server) noCanary() {
	s.t.Helper()
	if strings.Contains(s.log.String(), "canary") {
		s.t.Error("the log holds a value")
	}
	for _, what := range []string{"cmdline", "environ"} {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.cmd.Process.Pid, what))
		if strings.Contains(string(b), "canary") {
			s.t.Errorf("%s holds a value, %v", what, err)
		}
	}
	err := filepath.WalkDir(s.dir, func(p string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(p)
		if strings.Contains(string(b), "canary") {
			s.t.Errorf("%s holds a value", p)
		}
		return err
	})
	if err != nil {
		s.t.Error(err)
	}
}

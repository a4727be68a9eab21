package main

import (
	"os/exec"
	"strings"
	"testing"

	"gatehouse/agentd/sandbox"
)

// TestSandbox_beginsLittle: a confined process does not wait for the packages of the daemon to begin, which would take most of
// the time of a short command.
func TestSandbox_beginsLittle(t *testing.T) {
	t.Parallel()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	begun := func(step string) string {
		cmd := exec.CommandContext(t.Context(), path, sandbox.Command, step)
		cmd.Env = []string{"GODEBUG=inittrace=1"}
		out, _ := cmd.CombinedOutput() //nolint:errcheck // it is not told what to do, and says so
		return string(out)
	}
	slow := []string{"github.com/openai/openai-go/v3", "github.com/santhosh-tekuri/jsonschema/v6", "gatehouse/agentd/gate"}
	for step, last := range map[string]string{"take": "golang.org/x/sys/unix", "inside": "gatehouse/agentd/policy"} {
		out := begun(step)
		if !strings.Contains(out, "init "+last+" ") {
			t.Errorf("%s ends before %s begins:\n%s", step, last, out)
		}
		for _, name := range slow {
			if strings.Contains(out, "init "+name+" ") {
				t.Errorf("%s waits for %s to begin", step, name)
			}
		}
	}
}

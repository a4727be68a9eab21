package story

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// TestAllowExample runs the example of the README against a demo: what it is told to allow is done, what it is not waits.
func TestAllowExample(t *testing.T) {
	h, c := e2e.Start(t)
	example := filepath.Join(t.TempDir(), "allow")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", example, "gatehouse/docs/allow").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	run := c.Say("dispatcher", "Delete the old temporary files")
	q := c.Asked(run)
	if out := allow(t, h, example, "n\n"); !strings.Contains(out, "tmp") || c.Approval(q.ID).State != wire.ApprovalPending {
		t.Errorf("told no, it said %s, and the request is %s", out, c.Approval(q.ID).State)
	}
	if out := allow(t, h, example, "y\n"); !strings.Contains(out, "Allowed.") {
		t.Errorf("it said %s", out)
	}
	c.End(q.RootRunID)
	if n := e2e.Count(c.Receipts(q.RootRunID), "call.finished", "file_delete"); n != 1 || len(h.Temps(t)) != 0 {
		t.Errorf("%d deletions are on record, %d files are left", n, len(h.Temps(t)))
	}
	if out := allow(t, h, example, "y\n"); out != "" {
		t.Errorf("with nothing that waits it said %s", out)
	}
}

// allow runs the example with an answer and gives what it says.
func allow(t *testing.T, h *e2e.Hub, example, answer string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), example)
	cmd.Env, cmd.Stdin = append(os.Environ(), "GATEHOUSE_DIR="+h.Dir), strings.NewReader(answer)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

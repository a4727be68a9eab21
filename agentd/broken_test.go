package agentd

import (
	"os"
	"path/filepath"
	"testing"

	"gatehouse/agentd/team"
)

// TestBrokenAgent: an agent whose files are wrong is in the team, and cannot work; one that is not there is neither.
func TestBrokenAgent(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "agents")
	if err := os.MkdirAll(filepath.Join(dir, "odd"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "odd", "template.yaml"), []byte("name: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := team.Install(dir); err != nil {
		t.Fatal(err)
	}
	all, err := team.Load(dir, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := &Daemon{}
	d.team.Set(all)
	if !d.hasAgent("odd") || !d.brokenAgent("odd") {
		t.Errorf("an agent with wrong files: in the team %v, broken %v", d.hasAgent("odd"), d.brokenAgent("odd"))
	}
	if d.hasAgent("nobody") || d.brokenAgent("nobody") {
		t.Error("one that is not there")
	}
}

package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/tools/fileread"
	"gatehouse/agentd/tools/filewrite"
	"gatehouse/agentd/tools/shell"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/wire"
)

// TestRun_agentsAreOutOfReach: what agents are stands in the state directory. No tool that works with files and no command reads or
// changes it, by whatever name, at the highest level and also when a person allows the call.
func TestRun_agentsAreOutOfReach(t *testing.T) {
	t.Parallel()
	w := world{Dir: tooltest.NewDir(t)}
	write, err := filewrite.New(w.Root, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	w.Gate = tooltest.NewGate(t, w.Dir, shell.New(w.Root, openBox(t, w)), write, fileread.New(w.Root))
	w.Write(t, files)
	soul := filepath.Join(w.State, "agents", "secretary", "SOUL.md")
	if err := os.MkdirAll(filepath.Dir(soul), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(soul, []byte("CANARY"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(w.State, "agents"), filepath.Join(w.Data, "team")); err != nil {
		t.Fatal(err)
	}
	paths := []string{soul, "../state/agents/secretary/SOUL.md", "team/secretary/SOUL.md", "logs/../../state/agents/secretary/SOUL.md"}
	if o := w.Do(t, "shell", command("cat a.txt")); o.State != wire.ToolDone {
		t.Fatalf("%+v", o)
	}
	for _, path := range paths {
		for _, c := range []string{
			"cat " + path, "cat < " + path, "echo pwn > " + path, "echo pwn | tee " + path, "cp a.txt " + path, "rm -f " + path,
			"sed -i s/C/x/ " + path, "mv a.txt " + path, "ln -f " + path + " x.txt; cat x.txt", "truncate -s 0 " + path,
		} {
			if o := w.Do(t, "shell", command(c)); strings.Contains(o.Text, "CANARY") {
				t.Errorf("%q: %s %.200s", c, o.State, o.Text)
			}
			wantSoul(t, soul, c)
		}
	}
	for _, path := range paths {
		if o := w.Do(t, "file_read", map[string]any{"path": path}); strings.Contains(o.Text, "CANARY") {
			t.Errorf("file_read %s: %s", path, o.Text)
		}
		w.Do(t, "file_write", map[string]any{"path": path, "content": "pwn"})
		wantSoul(t, soul, "file_write "+path)
	}
}

func wantSoul(t *testing.T, path, after string) {
	t.Helper()
	if b, err := os.ReadFile(path); err != nil || string(b) != "CANARY" {
		t.Fatalf("after %s: %q, %v", after, b, err)
	}
}

package fileread_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tools/fileread"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/wire"
)

func TestRun(t *testing.T) {
	t.Parallel()
	d := tooltest.NewDir(t)
	d.Write(t, map[string]string{"notes/a.txt": "grüße\n", "binary": "a\xff\x00b", "empty": "", ".env": "SECRET"})
	if err := os.WriteFile(filepath.Join(d.Data, "large"), make([]byte, policy.MaxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	g := tooltest.NewGate(t, d, fileread.New(d.Root))
	for path, want := range map[string]string{"notes/a.txt": "grüße\n", "./notes/../notes/a.txt": "grüße\n", d.Data + "/notes/a.txt": "grüße\n", "empty": ""} {
		if o := g.Do(t, "file_read", policy.FileReadArgs{Path: path}); o.State != wire.ToolDone || o.Text != want || o.Tier != "green" {
			t.Errorf("%s: %+v", path, o)
		}
	}
	for path, want := range map[string]string{"none": "does not exist", "notes": "not a plain file", "binary": "not text", "large": "10.5 MB"} {
		if o := g.Do(t, "file_read", policy.FileReadArgs{Path: path}); o.State == wire.ToolDone || !strings.Contains(o.Text, want) {
			t.Errorf("%s: %+v", path, o)
		}
	}
	for _, path := range []string{".env", "../state/x", "/etc/passwd"} {
		if o := g.Do(t, "file_read", policy.FileReadArgs{Path: path}); o.State != wire.ToolDenied {
			t.Errorf("%s: %+v", path, o)
		}
	}
}

// TestRun_noPermit: without the gate nothing is read.
func TestRun_noPermit(t *testing.T) {
	t.Parallel()
	d := tooltest.NewDir(t)
	d.Write(t, map[string]string{"a.txt": "x"})
	if r, err := fileread.New(d.Root).Run(t.Context(), gate.Permit{}, []byte(`{"path":"a.txt"}`)); err == nil {
		t.Errorf("read %q without a permit", r.Text)
	}
}

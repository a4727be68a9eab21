package filedelete_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/tools/filedelete"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/tools/version"
	"gatehouse/agentd/wire"
)

// TestDelete_kept: what is deleted can be put back, except what could not be kept; that is said.
func TestDelete_kept(t *testing.T) {
	t.Parallel()
	d := tooltest.NewDir(t)
	d.Write(t, files)
	if err := os.Symlink("a.tmp", filepath.Join(d.Data, "tmp/link")); err != nil {
		t.Fatal(err)
	}
	kept := version.New(d.Root, time.Now, nil, nil)
	w := world{d, tooltest.NewGate(t, d, filedelete.New(d.Root, kept))}
	o := w.Do(t, "file_delete", path("tmp"))
	if o.State != wire.ToolDone || !strings.Contains(o.Result.Text, "1 entry of these could not be kept") {
		t.Fatalf("%+v", o)
	}
	all, err := kept.List()
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	if _, err := kept.PutBack(t.Context(), all[0].ID); err != nil || d.Read(t, "tmp/sub/deep/d.tmp") != "1" || d.Has("tmp/link") {
		t.Errorf("put back: %v", err)
	}
	full := version.New(d.Root, time.Now, func() int64 { return 4 }, nil)
	apart := tooltest.Dir{Path: t.TempDir(), Data: d.Data, State: d.State, Root: d.Root}
	w = world{d, tooltest.NewGate(t, apart, filedelete.New(d.Root, full))}
	if o := w.Do(t, "file_delete", path("tmp")); o.State != wire.ToolDone || !strings.Contains(o.Result.Text, "Nothing of this is kept") {
		t.Errorf("%+v", o)
	}
}

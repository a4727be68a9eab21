package attach_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/attach"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/wire"
)

// answers remembers what was attached, and to which run.
type answers struct {
	runs []string
	all  []tool.Attachment
	err  error
}

func (a *answers) Attach(_ context.Context, _, run string, f tool.Attachment) error {
	if a.err == nil {
		a.runs, a.all = append(a.runs, run), append(a.all, f)
	}
	return a.err
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// TestRun: a file is attached as it is, text or not.
func TestRun(t *testing.T) {
	t.Parallel()
	d, to := tooltest.NewDir(t), &answers{}
	d.Write(t, map[string]string{"offers/offer.pdf": "%PDF\xff\x00", "empty": ""})
	g := tooltest.NewGate(t, d, attach.New(d.Root, to))
	c := g.Call(t, "attach", policy.AttachArgs{Path: "./offers/../offers/offer.pdf"})
	o, err := g.Gate.Do(t.Context(), c, func(bool) {})
	if err != nil || o.State != wire.ToolDone || o.Tier != "green" {
		t.Fatalf("%+v, %v", o, err)
	}
	want := tool.Attachment{Path: "offers/offer.pdf", Bytes: 6, SHA256: sum("%PDF\xff\x00")}
	if len(to.all) != 1 || to.all[0] != want || to.runs[0] != c.RunID {
		t.Errorf("%+v of %v", to.all, to.runs)
	}
	if len(o.Result.Facts) != 2 || !strings.Contains(o.Result.Facts[1].Text, want.SHA256) {
		t.Errorf("%+v", o.Result.Facts)
	}
}

// TestRun_refused: nothing is attached that agents may not read, that leads elsewhere, that is too large, or that holds a secret.
func TestRun_refused(t *testing.T) {
	t.Parallel()
	d, to := tooltest.NewDir(t), &answers{}
	token := "ghp_" + strings.Repeat("aB3dE6gH9k", 4)[:36]
	d.Write(t, map[string]string{".env": "SECRET=1", "key.txt": "the token is " + token, "folder/a": "a", "one": "x"})
	outside := filepath.Join(d.Path, "outside.txt")
	for _, err := range []error{
		os.WriteFile(outside, []byte("x"), 0o600), os.Symlink(outside, filepath.Join(d.Data, "link.txt")),
		os.Symlink("../state", filepath.Join(d.Data, "state")), os.Link(filepath.Join(d.Data, "one"), filepath.Join(d.Data, "two")),
		os.WriteFile(filepath.Join(d.State, "x"), []byte("x"), 0o600),
		os.WriteFile(filepath.Join(d.Data, "large"), make([]byte, tool.MaxAttachment+1), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	g := tooltest.NewGate(t, d, attach.New(d.Root, to))
	for path, want := range map[string]string{
		".env": "never allowed", "../state/x": "", "/etc/passwd": "", "link.txt": "", "state/x": "", "two": "second name",
		"large": "18.9 MB", "key.txt": "password or a key", "folder": "not a plain file", "none": "does not exist",
		token: "password or a key",
	} {
		if o := g.Do(t, "attach", policy.AttachArgs{Path: path}); o.State == wire.ToolDone || !strings.Contains(o.Text, want) {
			t.Errorf("%s: %+v", path, o)
		}
	}
	if len(to.all) != 0 {
		t.Errorf("attached: %+v", to.all)
	}
}

// late changes something between the look at a file and its attaching.
type late struct {
	*attach.Tool
	between func()
}

func (l late) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	l.between()
	return l.Tool.Run(ctx, p, args)
}

// TestRun_changed: what was measured is attached, and not what stands there later.
func TestRun_changed(t *testing.T) {
	t.Parallel()
	d, to := tooltest.NewDir(t), &answers{}
	d.Write(t, map[string]string{"a.txt": "as it was seen"})
	g := tooltest.NewGate(t, d, late{attach.New(d.Root, to), func() { d.Write(t, map[string]string{"a.txt": "something else"}) }})
	if o := g.Do(t, "attach", policy.AttachArgs{Path: "a.txt"}); o.State == wire.ToolDone || len(to.all) != 0 {
		t.Errorf("%+v, attached %+v", o, to.all)
	}
}

// TestRun_noPermit: without the gate nothing is attached.
func TestRun_noPermit(t *testing.T) {
	t.Parallel()
	d, to := tooltest.NewDir(t), &answers{}
	d.Write(t, map[string]string{"a.txt": "x"})
	if _, err := attach.New(d.Root, to).Run(t.Context(), gate.Permit{}, []byte(`{"path":"a.txt"}`)); err == nil || len(to.all) != 0 {
		t.Error("attached without a permit")
	}
}

package filewrite_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/filewrite"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/wire"
)

type world struct {
	tooltest.Dir
	*tooltest.Gate
	tool *filewrite.Tool
}

func open(t *testing.T) world {
	t.Helper()
	d := tooltest.NewDir(t)
	w, err := filewrite.New(d.Root, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return world{d, tooltest.NewGate(t, d, w), w}
}

func args(path, content string) policy.FileWriteArgs {
	return policy.FileWriteArgs{Path: path, Content: content}
}

func TestRun_newAndChanged(t *testing.T) {
	t.Parallel()
	w := open(t)
	o := w.Do(t, "file_write", args("notes/a.txt", "one\n"))
	if o.State != wire.ToolDone || w.Read(t, "notes/a.txt") != "one\n" || len(o.Result.Effects) != 1 || o.Result.Effects[0].Kind != "written" || o.Tier != "yellow" {
		t.Fatalf("%+v", o)
	}
	if o := w.Do(t, "file_write", args("notes/a.txt", "two\n")); o.State != wire.ToolDone || w.Read(t, "notes/a.txt") != "two\n" {
		t.Fatalf("%+v", o)
	}
	if list, err := os.ReadDir(filepath.Join(w.Data, "notes")); err != nil || len(list) != 1 {
		t.Errorf("left behind: %v %v", list, err)
	}
}

// TestStage_showsTheChange: asked, the person sees the diff; nothing is written before the answer, and exactly what
// was shown after it.
func TestStage_showsTheChange(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 1
	w.Write(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	a := w.Ask(t, "file_write", args("a.txt", "one\n2\nthree\nfour\n"))
	d := a.Approval.Diff
	if d == nil || d.New || d.Added != 2 || d.Removed != 1 || !strings.Contains(d.Unified, "-two\n+2\n") || !strings.Contains(d.Unified, "+four\n") || a.Approval.StagedHash == "-" {
		t.Fatalf("%+v", d)
	}
	if w.Read(t, "a.txt") != "one\ntwo\nthree\n" {
		t.Error("written before the answer")
	}
	if o := w.Answer(t, a, wire.AllowOnce); o.State != wire.ToolDone || w.Read(t, "a.txt") != "one\n2\nthree\nfour\n" {
		t.Errorf("%+v", o)
	}
	if before, err := os.ReadFile(filepath.Join(w.State, "staged", a.Approval.CallID, "before")); err != nil || string(before) != "one\ntwo\nthree\n" {
		t.Errorf("no way back: %q %v", before, err)
	}
}

func TestDiscard(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 1
	a := w.Ask(t, "file_write", args("a.txt", "x"))
	staged := filepath.Join(w.State, "staged", a.Approval.CallID)
	if _, err := os.Stat(staged); err != nil {
		t.Fatal(err)
	}
	if o := w.Answer(t, a, wire.Deny); o.State != wire.ToolDenied || w.Has("a.txt") {
		t.Errorf("%+v", o)
	}
	if _, err := os.Stat(staged); !os.IsNotExist(err) {
		t.Errorf("what was denied is kept: %v", err)
	}
}

// spoiled changes the world in the last moment before a write.
type spoiled struct {
	*filewrite.Tool
	spoil func(call string) error
}

func (s spoiled) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	if err := s.spoil(p.CallID()); err != nil {
		return tool.Result{}, err
	}
	return s.Tool.Run(ctx, p, args)
}

// TestRun_whatWasShown: neither over a changed file nor from a changed proposal is anything written.
func TestRun_whatWasShown(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(d tooltest.Dir, call string) error{
		"the file changed": func(d tooltest.Dir, _ string) error {
			return os.WriteFile(filepath.Join(d.Data, "a.txt"), []byte("other"), 0o644)
		},
		"the file is gone": func(d tooltest.Dir, _ string) error { return os.Remove(filepath.Join(d.Data, "a.txt")) },
		"the proposal changed": func(d tooltest.Dir, call string) error {
			return os.WriteFile(filepath.Join(d.State, "staged", call, "after"), []byte("evil"), 0o600)
		},
		"the note changed": func(d tooltest.Dir, call string) error {
			return os.WriteFile(filepath.Join(d.State, "staged", call, "meta.json"), []byte(`{"rel":"b.txt","before":"-","after":"x"}`), 0o600)
		},
		"the proposal is gone": func(d tooltest.Dir, call string) error { return os.RemoveAll(filepath.Join(d.State, "staged", call)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := tooltest.NewDir(t)
			w, err := filewrite.New(d.Root, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			d.Write(t, map[string]string{"a.txt": "old"})
			g := tooltest.NewGate(t, d, spoiled{w, func(call string) error { return spoil(d, call) }})
			if o := g.Do(t, "file_write", args("a.txt", "new")); o.State != wire.ToolFailed {
				t.Errorf("%+v", o)
			}
			if d.Has("a.txt") && (d.Read(t, "a.txt") == "new" || d.Read(t, "a.txt") == "evil") || d.Has("b.txt") {
				t.Error("it was written")
			}
		})
	}
}

// TestRun_changedWhileAsked: what a person allows for one content is not done to another.
func TestRun_changedWhileAsked(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 1
	w.Write(t, map[string]string{"a.txt": "old"})
	a := w.Ask(t, "file_write", args("a.txt", "new"))
	w.Write(t, map[string]string{"a.txt": "other"})
	if o := w.Answer(t, a, wire.AllowOnce); o.State == wire.ToolDone || w.Read(t, "a.txt") != "other" {
		t.Errorf("%+v", o)
	}
}

func TestRun_refusals(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Write(t, map[string]string{"folder/x": "x", "plain": "x"})
	outside := filepath.Join(w.Path, "outside")
	if err := os.WriteFile(outside, []byte("outside"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": outside, "folder-link": w.Path} {
		if err := os.Symlink(target, filepath.Join(w.Data, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(outside, filepath.Join(w.Data, "hard")); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"folder", "plain/x", "link", "folder-link/outside", "folder-link/new", "hard", "../x", ".env", ".bashrc", "x/", strings.Repeat("a", 300)} {
		if o := w.Do(t, "file_write", args(p, "evil")); o.State == wire.ToolDone {
			t.Errorf("%s: %+v", p, o)
		}
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "outside" {
		t.Errorf("outside holds %q, %v", b, err)
	}
	if list, err := os.ReadDir(w.Path); err != nil || len(list) != 3 {
		t.Errorf("outside: %v, %v", list, err)
	}
}

func TestRun_noPermit(t *testing.T) {
	t.Parallel()
	w := open(t)
	a := []byte(`{"path":"a.txt","content":"x"}`)
	if _, err := w.tool.Stage(t.Context(), "call-1", a); err != nil {
		t.Fatal(err)
	}
	if _, err := w.tool.Run(t.Context(), gate.Permit{}, a); err == nil || w.Has("a.txt") {
		t.Error("written without a permit")
	}
}

// TestDiff_large: what nobody would read is not computed, only told.
func TestDiff_large(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Write(t, map[string]string{"large": strings.Repeat("line\n", 200_000), "binary": "a\xffb"})
	w.Level = 1
	for path, want := range map[string]string{"large": "too large to show: 1.0 MB before", "binary": "too large to show", "one-line": "more, not shown"} {
		a := w.Ask(t, "file_write", args(path, strings.Repeat("x", 300_000)))
		if d := a.Approval.Diff.Unified; len(d) > 200<<10 || !strings.Contains(d, want) {
			t.Errorf("%s: a diff of %d bytes, %.200q", path, len(d), d)
		}
		w.Answer(t, a, wire.Deny)
	}
}

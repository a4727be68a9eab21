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

// openBoth is open with the way back.
func openBoth(t *testing.T) world {
	t.Helper()
	d := tooltest.NewDir(t)
	w, err := filewrite.New(d.Root, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return world{d, tooltest.NewGate(t, d, w, filewrite.NewRestore(w)), w}
}

// last is the id of the newest write that is kept.
func (w world) last(t *testing.T) string {
	t.Helper()
	all, err := filewrite.List(w.State)
	if err != nil || len(all) == 0 {
		t.Fatalf("%v, %v", all, err)
	}
	return all[0].Call
}

func back(path, call string, anyway bool) policy.FileRestoreArgs {
	return policy.FileRestoreArgs{Path: path, Call: call, Anyway: anyway}
}

// TestRestore: what was written comes back byte by byte, also bytes that no model could have written, and the way back
// has a way back.
func TestRestore(t *testing.T) {
	t.Parallel()
	w := openBoth(t)
	const first = "key = \xff\xfe\nold\n"
	w.Write(t, map[string]string{"conf/a.ini": first})
	if o := w.Do(t, "file_write", args("conf/a.ini", "new\n")); o.State != wire.ToolDone {
		t.Fatalf("%+v", o)
	}
	o := w.Do(t, "file_restore", back("conf/a.ini", "", false))
	if o.State != wire.ToolDone || o.Tier != "yellow" || w.Read(t, "conf/a.ini") != first || len(o.Result.Effects) != 1 || o.Result.Effects[0].Target != "conf/a.ini" {
		t.Fatalf("%+v, %q", o, w.Read(t, "conf/a.ini"))
	}
	if o := w.Do(t, "file_restore", back("conf/a.ini", w.last(t), false)); o.State != wire.ToolDone || w.Read(t, "conf/a.ini") != "new\n" {
		t.Errorf("the restore was not taken back: %+v", o)
	}
	if list, err := os.ReadDir(filepath.Join(w.Data, "conf")); err != nil || len(list) != 1 {
		t.Errorf("left behind: %v %v", list, err)
	}
}

// TestRestore_asked: a person sees what would come back, and only then it does.
func TestRestore_asked(t *testing.T) {
	t.Parallel()
	w := openBoth(t)
	w.Write(t, map[string]string{"a.txt": "one\n"})
	w.Do(t, "file_write", args("a.txt", "two\n"))
	w.Level = 1
	a := w.Ask(t, "file_restore", back("a.txt", "", false))
	if d := a.Approval.Diff; d == nil || !strings.Contains(d.Unified, "-two\n+one\n") || !strings.Contains(a.Approval.Summary, "earlier version of a.txt") {
		t.Fatalf("%+v", a.Approval)
	}
	if w.Read(t, "a.txt") != "two\n" {
		t.Error("put back before the answer")
	}
	if o := w.Answer(t, a, wire.Deny); o.State != wire.ToolDenied || w.Read(t, "a.txt") != "two\n" {
		t.Errorf("%+v", o)
	}
	a = w.Ask(t, "file_restore", back("a.txt", "", false))
	if o := w.Answer(t, a, wire.AllowOnce); o.State != wire.ToolDone || w.Read(t, "a.txt") != "one\n" {
		t.Errorf("%+v", o)
	}
}

// TestRestore_changedSince: a later change is undone only by who says so, and is kept then.
func TestRestore_changedSince(t *testing.T) {
	t.Parallel()
	w := openBoth(t)
	w.Write(t, map[string]string{"a.txt": "one", "gone.txt": "one"})
	for _, name := range []string{"a.txt", "gone.txt"} {
		w.Do(t, "file_write", args(name, "two"))
	}
	w.Write(t, map[string]string{"a.txt": "by hand"})
	if err := os.Remove(filepath.Join(w.Data, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.txt", "gone.txt"} {
		if o := w.Do(t, "file_restore", back(name, "", false)); o.State != wire.ToolDenied || !strings.Contains(o.Text, "changed since") {
			t.Errorf("%s: %+v", name, o)
		}
		if o := w.Do(t, "file_restore", back(name, "", true)); o.State != wire.ToolDone || w.Read(t, name) != "one" {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if o := w.Do(t, "file_restore", back("a.txt", "", false)); o.State != wire.ToolDone || w.Read(t, "a.txt") != "by hand" {
		t.Errorf("what was there is lost: %+v", o)
	}
}

func TestRestore_refusals(t *testing.T) {
	t.Parallel()
	w := openBoth(t)
	w.Write(t, map[string]string{"a.txt": "one", "b.txt": "one", "same.txt": "one"})
	w.Do(t, "file_write", args("new.txt", "one"))
	w.Do(t, "file_write", args("a.txt", "two"))
	ofA := w.last(t)
	w.Do(t, "file_write", args("same.txt", "one"))
	w.Level = 1
	open := w.Ask(t, "file_write", args("b.txt", "two"))
	w.Level = 3
	for name, in := range map[string]policy.FileRestoreArgs{
		"was new":                back("new.txt", "", false),
		"the same":               back("same.txt", "", false),
		"another file's":         back("b.txt", ofA, true),
		"only proposed":          back("b.txt", "", true),
		"only proposed, by name": back("b.txt", open.Approval.CallID, true),
		"never written":          back("c.txt", "", true),
		"no such call":           back("a.txt", "01900000-0000-7000-8000-000000000000", true),
		"out of the folder":      back("a.txt", "../"+ofA, true),
		"outside":                back("../state/staged/"+ofA+"/before", ofA, true),
		"protected":              back(".env", ofA, true),
	} {
		if o := w.Do(t, "file_restore", in); o.State != wire.ToolDenied || o.Text == "" {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if w.Read(t, "a.txt") != "two" || w.Read(t, "b.txt") != "one" || w.Read(t, "new.txt") != "one" {
		t.Error("something was written")
	}
	w.Answer(t, open, wire.Deny)
}

// TestRestore_damaged: what is kept comes back whole or not at all, whenever it was spoiled.
func TestRestore_damaged(t *testing.T) {
	t.Parallel()
	d := tooltest.NewDir(t)
	files, err := filewrite.New(d.Root, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	var spoil func(call string) error
	w := world{d, tooltest.NewGate(t, d, files, spoiledBack{filewrite.NewRestore(files), func(call string) error { return spoil(call) }}), files}
	w.Write(t, map[string]string{"a.txt": "one"})
	w.Do(t, "file_write", args("a.txt", "two"))
	kept := filepath.Join(w.State, "staged", w.last(t), "before")
	for name, fn := range map[string]func(call string) error{
		"the proposal": func(call string) error {
			return os.WriteFile(filepath.Join(w.State, "staged", call, "after"), []byte("evil"), 0o600)
		},
		"the file": func(string) error { return os.WriteFile(filepath.Join(w.Data, "a.txt"), []byte("other"), 0o644) },
	} {
		spoil = fn
		if o := w.Do(t, "file_restore", back("a.txt", "", false)); o.State != wire.ToolFailed || w.Read(t, "a.txt") == "evil" || w.Read(t, "a.txt") == "one" {
			t.Errorf("%s: %+v", name, o)
		}
		w.Write(t, map[string]string{"a.txt": "two"})
	}
	if err := os.WriteFile(kept, []byte("evil"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := w.Do(t, "file_restore", back("a.txt", "", false)); o.State != wire.ToolDenied || !strings.Contains(o.Text, "damaged") || w.Read(t, "a.txt") != "two" {
		t.Errorf("%+v", o)
	}
}

// spoiledBack is spoiled for the way back.
type spoiledBack struct {
	*filewrite.Restore
	spoil func(call string) error
}

func (s spoiledBack) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	if err := s.spoil(p.CallID()); err != nil {
		return tool.Result{}, err
	}
	return s.Restore.Run(ctx, p, args)
}

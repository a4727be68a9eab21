package filedelete_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/filedelete"
	"gatehouse/agentd/tools/tooltest"
	"gatehouse/agentd/wire"
)

var files = map[string]string{
	"tmp/a.tmp": "12345", "tmp/b.tmp": "1234567890", "tmp/keep.txt": "k", "tmp/sub/c.tmp": "123", "tmp/sub/deep/d.tmp": "1", "other.txt": "o", "odd*name": "x",
}

type world struct {
	tooltest.Dir
	*tooltest.Gate
}

func open(t *testing.T) world {
	t.Helper()
	d := tooltest.NewDir(t)
	d.Write(t, files)
	return world{d, tooltest.NewGate(t, d, filedelete.New(d.Root, nil))}
}

func path(p string) policy.FileDeleteArgs { return policy.FileDeleteArgs{Path: p} }

func (w world) left(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(w.Data, func(p string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			out = append(out, strings.TrimPrefix(p, w.Data+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func without(gone ...string) []string {
	var out []string
	for name := range files {
		if !slices.Contains(gone, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func TestRun_paths(t *testing.T) {
	t.Parallel()
	for p, gone := range map[string][]string{
		"other.txt": {"other.txt"}, "tmp/*.tmp": {"tmp/a.tmp", "tmp/b.tmp"}, "tmp/**/*.tmp": {"tmp/a.tmp", "tmp/b.tmp", "tmp/sub/c.tmp", "tmp/sub/deep/d.tmp"},
		"**/*.tmp": {"tmp/a.tmp", "tmp/b.tmp", "tmp/sub/c.tmp", "tmp/sub/deep/d.tmp"}, "tmp/sub": {"tmp/sub/c.tmp", "tmp/sub/deep/d.tmp"}, "tmp/": {"tmp/a.tmp", "tmp/b.tmp", "tmp/keep.txt", "tmp/sub/c.tmp", "tmp/sub/deep/d.tmp"},
		"odd*name": {"odd*name"}, "tmp/?.tmp": {"tmp/a.tmp", "tmp/b.tmp"}, "tmp/[a]*": {"tmp/a.tmp"}, "tmp/s*": {"tmp/sub/c.tmp", "tmp/sub/deep/d.tmp"},
	} {
		t.Run(p, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			o := w.Do(t, "file_delete", path(p))
			if o.State != wire.ToolDone || !slices.Equal(w.left(t), without(gone...)) {
				t.Errorf("%+v, left %v", o, w.left(t))
			}
			if e := o.Result.Effects; len(e) != 1 || e[0].Kind != "deleted" || e[0].Count != len(gone) {
				t.Errorf("effects %+v", e)
			}
		})
	}
}

// TestMeasure: the question names how many files and bytes, and nothing is deleted before the answer.
func TestMeasure(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 2
	a := w.Ask(t, "file_delete", path("tmp/*.tmp"))
	want := []wire.Fact{{Name: "files", Value: 2, Text: "2 files: tmp/a.tmp, tmp/b.tmp"}, {Name: "bytes", Value: 15, Text: "15 bytes"}}
	if !slices.Equal(a.Approval.Facts, want) || a.Approval.Tier != "red" || a.Approval.Summary != "Delete tmp/*.tmp" {
		t.Errorf("%+v", a.Approval)
	}
	if len(w.left(t)) != len(files) {
		t.Error("deleted before the answer")
	}
	w.Write(t, map[string]string{"tmp/new.tmp": "came later"})
	if o := w.Answer(t, a, wire.AllowOnce); o.State != wire.ToolDone || o.Result.Summary != "Deleted 2 files, 15 bytes" {
		t.Errorf("%+v", o)
	}
	if !slices.Contains(w.left(t), "tmp/new.tmp") {
		t.Error("a file that was not measured is gone")
	}
}

// TestRun_changedWhileAsked: when one of the files is another one by now, none is deleted.
func TestRun_changedWhileAsked(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(p string) error{
		"content": func(p string) error { return os.WriteFile(p, []byte("longer than before"), 0o644) },
		"time":    func(p string) error { return os.Chtimes(p, time.Time{}, time.Now().Add(-time.Hour)) },
		"another file": func(p string) error {
			info, err := os.Stat(p)
			if err != nil {
				return err
			}
			if err := os.WriteFile(p+".new", []byte("12345"), 0o644); err != nil {
				return err
			}
			if err := os.Chtimes(p+".new", time.Time{}, info.ModTime()); err != nil {
				return err
			}
			return os.Rename(p+".new", p)
		},
		"a folder": func(p string) error {
			if err := os.Remove(p); err != nil {
				return err
			}
			return os.Mkdir(p, 0o755)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			w.Level = 2
			a := w.Ask(t, "file_delete", path("tmp/*.tmp"))
			if err := spoil(filepath.Join(w.Data, "tmp/a.tmp")); err != nil {
				t.Fatal(err)
			}
			if o := w.Answer(t, a, wire.AllowOnce); o.State == wire.ToolDone || !w.Has("tmp/a.tmp") || !w.Has("tmp/b.tmp") {
				t.Errorf("%+v, left %v", o, w.left(t))
			}
		})
	}
}

// late spoils the world between the check of the gate and the deletion.
type late struct {
	*filedelete.Tool
	spoil func() error
}

func (l late) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	if err := l.spoil(); err != nil {
		return tool.Result{}, err
	}
	return l.Tool.Run(ctx, p, args)
}

func TestRun_changedInTheLastMoment(t *testing.T) {
	t.Parallel()
	d := tooltest.NewDir(t)
	d.Write(t, files)
	g := tooltest.NewGate(t, d, late{filedelete.New(d.Root, nil), func() error { return os.WriteFile(filepath.Join(d.Data, "tmp/a.tmp"), []byte("other"), 0o644) }})
	if o := g.Do(t, "file_delete", path("tmp")); o.State != wire.ToolFailed || !strings.Contains(o.Text, "Nothing was deleted") || !d.Has("tmp/b.tmp") {
		t.Errorf("%+v", o)
	}
}

func TestRun_gone(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 2
	a := w.Ask(t, "file_delete", path("tmp/*.tmp"))
	if err := os.Remove(filepath.Join(w.Data, "tmp/a.tmp")); err != nil {
		t.Fatal(err)
	}
	if o := w.Answer(t, a, wire.AllowOnce); o.State != wire.ToolDone || o.Result.Summary != "Deleted 1 file, 10 bytes" {
		t.Errorf("%+v", o)
	}
}

func TestRun_newFileInFolderStays(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.Level = 2
	a := w.Ask(t, "file_delete", path("tmp/sub"))
	w.Write(t, map[string]string{"tmp/sub/new": "x"})
	if o := w.Answer(t, a, wire.AllowOnce); o.State != wire.ToolDone || !strings.Contains(o.Result.Summary, "1 not deleted") || !w.Has("tmp/sub/new") || w.Has("tmp/sub/c.tmp") {
		t.Errorf("%+v", o)
	}
}

func TestMeasure_refusals(t *testing.T) {
	t.Parallel()
	w := open(t)
	outside := filepath.Join(w.Path, "outside")
	w.Write(t, map[string]string{"with-secret/.env": "x", "with-secret/a": "x"})
	for _, err := range []error{
		os.MkdirAll(outside, 0o755), os.WriteFile(filepath.Join(outside, "f"), []byte("x"), 0o644), os.Symlink(outside, filepath.Join(w.Data, "link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{"none", "none*", "tmp/[", ".", "*/../..", "../outside", "link/f", "link/*", "with-secret", "with-secret/*", "with-secret/.env", "**", "/etc/passwd"} {
		if o := w.Do(t, "file_delete", path(p)); o.State != wire.ToolDenied {
			t.Errorf("%s: %+v", p, o)
		}
	}
	// The link itself may go; what it leads to stays.
	if o := w.Do(t, "file_delete", path("link")); o.State != wire.ToolDone || w.Has("link") {
		t.Errorf("%+v", o)
	}
	if _, err := os.Stat(filepath.Join(outside, "f")); err != nil {
		t.Error(err)
	}
}

// TestRun_race swaps a folder for a link to the outside while files in it are deleted.
func TestRun_race(t *testing.T) {
	t.Parallel()
	w := open(t)
	outside := filepath.Join(w.Path, "outside")
	many := map[string]string{}
	if err := os.Mkdir(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		name := fmt.Sprintf("f%03d", i)
		many["victim/"+name] = "x"
		if err := os.WriteFile(filepath.Join(outside, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w.Write(t, many)
	if err := os.Symlink(outside, filepath.Join(w.Data, "evil")); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	done := swap(filepath.Join(w.Data, "victim"), filepath.Join(w.Data, "evil"), stop)
	for range 5 {
		w.Do(t, "file_delete", path("victim/f*"))
	}
	close(stop)
	if n := <-done; n < 100 {
		t.Errorf("only %d swaps", n)
	}
	if list, err := os.ReadDir(outside); err != nil || len(list) != 300 {
		t.Errorf("the outside has %d files, %v", len(list), err)
	}
}

func TestRun_noPermit(t *testing.T) {
	t.Parallel()
	d := tooltest.NewDir(t)
	d.Write(t, files)
	_, err := filedelete.New(d.Root, nil).Run(t.Context(), gate.Permit{}, []byte(`{"path":"other.txt"}`))
	if err == nil || !d.Has("other.txt") {
		t.Error("deleted without a permit")
	}
}

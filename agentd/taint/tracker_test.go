package taint_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/taint"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

var letter = []policy.Source{{Source: "a letter", ID: "l"}}

func shell(t *testing.T, command string) taint.Call {
	t.Helper()
	b, err := json.Marshal(policy.ShellArgs{Command: command})
	if err != nil {
		t.Fatal(err)
	}
	return taint.Call{ID: "c", Tool: "shell", Args: string(b)}
}

func (f *folder) foreseen(t *testing.T, command string) []policy.Source {
	t.Helper()
	return f.Track(t.Context(), shell(t, command), time.Time{}).Foreseen()
}

// TestForeseen: a command that may show a marked file is known before it runs, however it finds the file. A command that
// plainly shows other files only is not.
func TestForeseen(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.file(t, "notes/kept.txt")
	f.mark(t, "notes/kept.txt", time.Now())
	if err := os.Symlink("notes", filepath.Join(f.root, "link")); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for line := range strings.Lines(strings.ReplaceAll(string(b), "{root}", f.root)) {
		verdict, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		if verdict == "#" {
			continue
		}
		seen[verdict]++
		by := f.foreseen(t, strings.TrimSpace(command))
		tainted := len(by) == 1 && by[0].Source == "a letter, kept in notes/kept.txt"
		if tainted != (verdict == "tainted") || len(by) > 0 != tainted {
			t.Errorf("%s: %+v", line, by)
		}
	}
	if seen["clean"] < 50 || seen["tainted"] < 50 || len(seen) != 2 {
		t.Errorf("read %v commands", seen)
	}
}

// run follows a command from before it runs, does what it would do, and applies its marks.
func (f *folder) run(t *testing.T, command string, by []policy.Source, effect func()) {
	t.Helper()
	c := shell(t, command)
	tracker := f.Track(t.Context(), c, time.Time{})
	effect()
	out := taint.Outcome{State: wire.ToolDone, Tier: policy.Yellow}
	by = slices.Concat(by, tracker.Reads(t.Context(), out))
	if change := tracker.Writes(out, by, time.Now()); change != nil {
		f.write(t, change)
	}
}

func (f *folder) rename(t *testing.T, from, to string) func() {
	t.Helper()
	return func() {
		if err := os.Rename(filepath.Join(f.root, from), filepath.Join(f.root, to)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWrites_command: what a tainted run writes by a command is marked, and what was there before is not. A marked file that
// a clean run moves stays marked, also with its folder.
func TestWrites_command(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.age(t, "own.md", "notes/own.md")
	f.run(t, "cp own.md copy.md", nil, func() { f.file(t, "copy.md") })
	if got := f.marked(t); len(got) > 0 {
		t.Fatalf("a clean run marks %q", got)
	}
	f.run(t, "cp own.md notes/kept.txt", letter, func() { f.file(t, "notes/kept.txt") })
	f.run(t, "mv notes/kept.txt plain.txt", nil, f.rename(t, "notes/kept.txt", "plain.txt"))
	f.run(t, "mv plain.txt notes", nil, f.rename(t, "plain.txt", "notes/again.txt"))
	f.run(t, "mv notes more", nil, f.rename(t, "notes", "more"))
	want := []string{"more/again.txt", "notes/again.txt", "notes/kept.txt", "plain.txt"}
	if got := f.marked(t); !slices.Equal(got, want) {
		t.Errorf("marked are %q, want %q", got, want)
	}
}

// age waits until the files are older than what a call that begins now can have changed. Their times cannot be set: the time
// of the last change is the kernel's.
func (f *folder) age(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		for limit := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			info, err := os.Stat(filepath.Join(f.root, name))
			if err != nil || time.Now().After(limit) {
				t.Fatalf("%s does not age: %v", name, err)
			}
			if time.Since(info.ModTime()) > 2*taint.ClockTick {
				break
			}
		}
	}
}

// TestWrites_many: when a command writes very many files, their folder is marked, and none above it.
func TestWrites_many(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.age(t, "own.md", "notes/own.md")
	f.run(t, "cp -r many notes/new", letter, func() {
		for i := range 600 {
			f.file(t, "notes/new/"+strconv.Itoa(i))
		}
	})
	if got := f.marked(t); !slices.Equal(got, []string{"notes/new"}) {
		t.Errorf("marked are %q", got)
	}
}

// TestWrites_replaced: a file that a clean run has overwritten loses its marks, and gets them back when the earlier content
// is put back.
func TestWrites_replaced(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	call := func(id, name string, meta map[string]any, by []policy.Source) {
		t.Helper()
		result := tool.Result{Effects: []tool.Effect{{Kind: "written", Target: "notes/own.md", Count: 1}}, Meta: meta}
		tracker := f.Track(t.Context(), taint.Call{ID: id, Tool: name, Args: `{"path":"notes/own.md"}`}, time.Time{})
		out := taint.Outcome{State: wire.ToolDone, Tier: policy.Yellow, Result: result}
		if change := tracker.Writes(out, by, time.Now()); change != nil {
			f.write(t, change)
		}
	}
	for _, step := range []struct {
		id, tool string
		meta     map[string]any
		by       []policy.Source
		marked   int
	}{
		{"1", "file_write", nil, letter, 1},
		{"2", "file_write", nil, nil, 0},
		{"3", "file_write", nil, nil, 0},
		{"4", taint.RestoreTool, map[string]any{"restores": "3"}, nil, 0},
		{"5", taint.RestoreTool, map[string]any{"restores": "2"}, nil, 1},
	} {
		call(step.id, step.tool, step.meta, step.by)
		if got := f.marked(t); len(got) != step.marked {
			t.Fatalf("after call %s, marked are %q", step.id, got)
		}
	}
}

// TestWrites_denied: a call that was denied, or is green, has written nothing.
func TestWrites_denied(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	tracker := f.Track(t.Context(), shell(t, "cp own.md copy.md"), time.Time{})
	f.file(t, "copy.md")
	for _, out := range []taint.Outcome{{State: wire.ToolDenied, Tier: policy.Yellow}, {State: wire.ToolDone, Tier: policy.Green}} {
		if tracker.Writes(out, letter, time.Now()) != nil {
			t.Errorf("%s, %s: marks files", out.State, out.Tier)
		}
	}
}

package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/seeded"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/fileread"
	"gatehouse/agentd/tools/filewrite"
	"gatehouse/agentd/wire"
)

// plainShell judges as the real one does and runs commands in the data folder, unconfined. "fetch" brings in content from
// outside.
type plainShell struct{ root string }

func (plainShell) Definition() tool.Definition {
	return tool.Definition{Name: "shell", Doc: "Run.", Args: tool.SchemaOf[policy.ShellArgs]()}
}

func (s plainShell) Classify(args json.RawMessage) policy.Class {
	in, _ := tool.Parse[policy.ShellArgs](args)
	if in.Command == "fetch" {
		return policy.Class{Tier: policy.Green, Action: "server.shell.look", Says: "Look"}
	}
	return policy.Classify("shell", args, policy.Env{Root: s.root})
}

func (s plainShell) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := tool.Parse[policy.ShellArgs](args)
	if err := errors.Join(err, p.Redeem(args)); err != nil {
		return tool.Result{}, err
	}
	if in.Command == "fetch" {
		return tool.Result{Text: "news", Summary: "Fetched", Meta: map[string]any{gate.MetaOutside: true}}, nil
	}
	c := exec.CommandContext(ctx, "bash", "-c", in.Command)
	c.Dir = s.root
	b, _ := c.CombinedOutput() // some of the programs are not on every machine
	return tool.Result{Text: string(b), Summary: "Ran"}, nil
}

// heldWrite is file_write, whose first write waits to be let go, whatever becomes of its run.
type heldWrite struct {
	*filewrite.Tool
	late                bool // it waits when it has written
	first               sync.Once
	began, goOn, passed chan struct{}
}

func (w *heldWrite) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	mine := false
	w.first.Do(func() { mine = true })
	if !mine {
		return w.Tool.Run(ctx, p, args)
	}
	defer close(w.passed)
	if w.late {
		defer w.hold()
	} else {
		w.hold()
	}
	return w.Tool.Run(ctx, p, args)
}

func (w *heldWrite) hold() {
	close(w.began)
	<-w.goOn
}

// desk is a server with files: own.md and notes/own.md are the business's.
type desk struct {
	*server
	data  string
	write *heldWrite // nil: the plain one
}

func openDesk(t testing.TB, held *heldWrite) *desk {
	t.Helper()
	dir := t.TempDir()
	d := &desk{data: filepath.Join(dir, "data"), write: held}
	for _, f := range []string{"own.md", "notes/own.md"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(d.data, f)), 0o750), os.WriteFile(filepath.Join(d.data, f),
			[]byte("ours\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	d.server = startIn(t, dir, options{model: tails(), tools: d.tools})
	return d
}

func (d *desk) tools(dir string) ([]gate.Tool, error) {
	state := filepath.Join(dir, "state")
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, err
	}
	root, err := dataroot.Open(d.data, state)
	if err != nil {
		return nil, err
	}
	write, err := filewrite.New(root, time.Now)
	all := []gate.Tool{plainShell{d.data}, fileread.New(root)}
	if d.write == nil {
		return append(all, write), err
	}
	d.write.Tool = write
	return append(all, d.write), err
}

// keeps has a tainted run write a file.
func (d *desk) keeps(t *testing.T, file string) {
	t.Helper()
	_, a := d.asked(t, id(t), "it-admin", "fetch save:"+file)
	wantTainted(t, a)
	d.allow(t, a)
}

// wantTaint has a run of its own read by a command and then write, allows whatever it asks, and wants the write to be asked
// because of that source.
func (d *desk) wantTaint(t *testing.T, command, source string) {
	t.Helper()
	m, a := d.asked(t, id(t), "it-admin", strings.ReplaceAll(command, " ", "+")+" save:after.md")
	for a != nil {
		if a.Tool == "file_write" {
			if len(a.Taint) == 0 || !strings.Contains(a.Taint[0].Source, source) {
				t.Errorf("%s: %+v", command, a.Taint)
			}
			d.allow(t, a)
			return
		}
		a = d.next(t, m, a)
	}
	t.Errorf("%s: nobody was asked about the write behind it", command)
}

// next allows a question and waits for the next one of the run; nil when it ends.
func (d *desk) next(t *testing.T, m wire.ChatMessage, a *wire.Approval) *wire.Approval {
	t.Helper()
	d.parked(t)
	if err := d.Decide(gatetest.Answer(*a, wire.AllowOnce)); err != nil {
		t.Fatal(err)
	}
	e := d.watch.until(t, "another question or the end", func(e wire.RunEvent) bool {
		return e.Root == m.RunID && (e.Event == wire.EventFinal || e.Event == wire.EventError || e.Event == wire.EventApproval &&
			approvalOf(t, e).CallID != a.CallID)
	})
	if e.Event != wire.EventApproval {
		return nil
	}
	next := approvalOf(t, e)
	return &next
}

// commands are those of a verdict in the table of agentd/taint, which judges them all. A run needs some time for each, so
// without GATEHOUSE_SOAK about ten are taken, the same each time.
func (d *desk) commands(t *testing.T, verdict string) (all []string) {
	t.Helper()
	b, err := os.ReadFile("../taint/testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.ReplaceAll(string(b), "{root}", d.data)) {
		if command, ok := strings.CutPrefix(strings.TrimSpace(line), verdict+" "); ok {
			all = append(all, strings.TrimSpace(command))
		}
	}
	if len(all) < 50 {
		t.Fatalf("%d %s commands", len(all), verdict)
	}
	return seeded.Sample(all, len(all)/10)
}

// TestTaint_commands: what a tainted run has written taints a run that shows it by a command, however the command finds it.
// A command that plainly shows other files only does not.
func TestTaint_commands(t *testing.T) {
	t.Parallel()
	d := openDesk(t, nil)
	d.keeps(t, "notes/kept.txt")
	if err := os.Symlink("notes", filepath.Join(d.data, "link")); err != nil {
		t.Fatal(err)
	}
	for _, clean := range d.commands(t, "clean") {
		m, a := d.asked(t, id(t), "it-admin", strings.ReplaceAll(clean, " ", "+")+" save:after.md")
		for ; a != nil; a = d.next(t, m, a) {
			if len(a.Taint) > 0 {
				t.Errorf("%s taints: %s", clean, a.WhyAsked)
			}
		}
	}
	for _, tainted := range d.commands(t, "tainted") {
		d.wantTaint(t, tainted, "kept in notes/kept.txt")
	}
}

// TestTaint_copies: a clean run that copies a marked file by a command is asked as one that has read it, and the copy is
// marked as well. What is only there is not.
func TestTaint_copies(t *testing.T) {
	t.Parallel()
	for command, copied := range map[string]string{
		"cp notes/kept.txt plain.txt": "plain.txt", "mv notes/kept.txt plain.txt": "plain.txt", "cat notes/kept.txt > plain.txt": "plain.txt",
		"ln notes/kept.txt plain.txt": "plain.txt",
		"cp -r notes more":            "more/kept.txt", "mv notes more": "more/kept.txt",
		"mv notes more && mkdir notes && touch notes/kept.txt": "more/kept.txt", "tac notes/* > plain.txt": "plain.txt",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			d := openDesk(t, nil)
			d.keeps(t, "notes/kept.txt")
			_, a := d.asked(t, id(t), "it-admin", strings.ReplaceAll(command, " ", "+"))
			if a == nil || a.Tool != "shell" || len(a.Taint) == 0 {
				t.Fatalf("%+v", a)
			}
			d.allow(t, a)
			if _, err := os.Stat(filepath.Join(d.data, copied)); err != nil {
				t.Fatal(err)
			}
			d.wantTaint(t, "tail "+copied, "kept in "+copied)
			if _, a := d.asked(t, id(t), "it-admin", "tail+own.md save:b.md"); a != nil {
				t.Errorf("a file of our own is marked: %+v", a.Taint)
			}
		})
	}
}

// TestTaint_movedOtherwise: a marked file that a command moves stays marked, also where a person has written that command in
// place of another.
func TestTaint_movedOtherwise(t *testing.T) {
	t.Parallel()
	d := openDesk(t, nil)
	d.keeps(t, "notes/kept.txt")
	m, a := d.asked(t, id(t), "it-admin", "unknownbin+own.md")
	if a == nil {
		t.Fatal("not asked")
	}
	d.parked(t)
	edit := gatetest.Answer(*a, wire.Edit)
	edit.Args = json.RawMessage(`{"command":"mv notes/kept.txt plain.txt"}`)
	if err := d.Decide(edit); err != nil {
		t.Fatal(err)
	}
	d.watch.end(t, m.RunID)
	d.wantTaint(t, "tail plain.txt", "kept in plain.txt")
}

// TestTaint_gone: a file that is no longer there taints nobody.
func TestTaint_gone(t *testing.T) {
	t.Parallel()
	d := openDesk(t, nil)
	d.keeps(t, "notes/kept.txt")
	d.wantTaint(t, "grep -rn ours notes", "kept in notes/kept.txt")
	if err := os.Remove(filepath.Join(d.data, "notes/kept.txt")); err != nil {
		t.Fatal(err)
	}
	if _, a := d.asked(t, id(t), "it-admin", "grep+-rn+ours+notes tail+notes/kept.txt save:after.md"); a != nil {
		t.Errorf("%+v", a.Taint)
	}
}

// TestTaint_many: of very many files that a command writes the folder is marked that they are in, and none above it. The mark
// moves with the folder.
func TestTaint_many(t *testing.T) {
	t.Parallel()
	d := openDesk(t, nil)
	for i := range 600 {
		if err := errors.Join(os.MkdirAll(filepath.Join(d.data, "many"), 0o750), os.WriteFile(filepath.Join(d.data, "many", strconv.Itoa(i)),
			[]byte("ours"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	m, a := d.asked(t, id(t), "it-admin", "fetch cp+-r+many+notes/new")
	for a != nil {
		a = d.next(t, m, a)
	}
	if d.marked(t, "notes/new") == 0 || d.marked(t, "notes") != 0 {
		t.Fatalf("%d and %d marks", d.marked(t, "notes/new"), d.marked(t, "notes"))
	}
	if _, a := d.asked(t, id(t), "it-admin", "tail+notes/own.md save:after.md"); a != nil {
		t.Errorf("%+v", a.Taint)
	}
	m, a = d.asked(t, id(t), "it-admin", "mv+notes/new+other")
	for a != nil {
		a = d.next(t, m, a)
	}
	d.wantTaint(t, "tail other/7", "kept in other")
}

// TestTaint_flagsThatWrite: what a command of a tainted run writes is marked where no word of it is the name of that file.
func TestTaint_flagsThatWrite(t *testing.T) {
	t.Parallel()
	for command, written := range map[string]string{
		"sort --output=plain notes/own.md": "plain", "cp --target=more notes/own.md": "more/own.md",
		"cp --backup own.md notes/own.md":     "notes/own.md~",
		"sed -n 1p --in-place=x notes/own.md": "notes/own.mdx", "ln notes/other.md": "other.md",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			d := openDesk(t, nil)
			if err := errors.Join(os.Mkdir(filepath.Join(d.data, "more"), 0o750), os.WriteFile(filepath.Join(d.data, "notes/other.md"),
				[]byte("ours"), 0o600)); err != nil {
				t.Fatal(err)
			}
			m, a := d.asked(t, id(t), "it-admin", "fetch "+strings.ReplaceAll(command, " ", "+"))
			for a != nil {
				a = d.next(t, m, a)
			}
			if _, err := os.Stat(filepath.Join(d.data, written)); err != nil {
				t.Fatal(err)
			}
			d.wantTaint(t, "tail "+written, "kept in "+written)
		})
	}
}

// TestTaint_notRun: a command that was denied has shown nothing: the run is not tainted by what it would have read.
func TestTaint_notRun(t *testing.T) {
	t.Parallel()
	d := openDesk(t, nil)
	d.keeps(t, "notes/kept.txt")
	m, a := d.asked(t, id(t), "it-admin", "cp+notes/kept.txt+plain.txt save:after.md")
	if a == nil || a.Tool != "shell" {
		t.Fatalf("%+v", a)
	}
	d.parked(t)
	if err := d.Decide(gatetest.Answer(*a, wire.Deny)); err != nil {
		t.Fatal(err)
	}
	e := d.watch.until(t, "another question or the end", func(e wire.RunEvent) bool {
		return e.Root == m.RunID && (e.Event == wire.EventFinal || e.Event == wire.EventError || e.Event == wire.EventApproval &&
			approvalOf(t, e).CallID != a.CallID)
	})
	if e.Event == wire.EventApproval {
		t.Errorf("the write is asked: %+v", approvalOf(t, e).Taint)
	}
}

// TestTaint_replaced: a file that a clean run has written anew holds nothing from outside any more.
func TestTaint_replaced(t *testing.T) {
	t.Parallel()
	d := openDesk(t, nil)
	d.keeps(t, "notes/kept.txt")
	d.wantTaint(t, "tail notes/kept.txt", "kept in notes/kept.txt")
	if _, a := d.asked(t, id(t), "it-admin", "tail+own.md save:notes/kept.txt"); a != nil {
		t.Fatalf("%+v", a)
	}
	if _, a := d.asked(t, id(t), "it-admin", "tail+notes/kept.txt save:after.md"); a != nil {
		t.Errorf("%+v", a.Taint)
	}
}

// TestTaint_replacedMeanwhile: what a clean run has written takes away no mark that has come since it began to write.
func TestTaint_replacedMeanwhile(t *testing.T) {
	t.Parallel()
	held := &heldWrite{late: true, began: make(chan struct{}), goOn: make(chan struct{}), passed: make(chan struct{})}
	d := openDesk(t, held)
	m := message(t, id(t), "it-admin", "save:kept.txt")
	d.post(t, m)
	<-held.began
	d.marks(t, "kept.txt", time.Now())
	close(held.goOn)
	d.watch.end(t, m.RunID)
	if n := d.marked(t, "kept.txt"); n != 1 {
		t.Fatalf("%d marks", n)
	}
}

// TestTaint_markedAnew: a mark is as new as the newest write.
func TestTaint_markedAnew(t *testing.T) {
	t.Parallel()
	d := openDesk(t, nil)
	session, last := id(t), int64(0)
	for _, task := range []string{"fetch save:again.txt", "save:again.txt"} {
		_, a := d.asked(t, session, "it-admin", task)
		wantTainted(t, a)
		d.allow(t, a)
		var n, at int64
		if err := d.DB.Read().QueryRowContext(t.Context(), "SELECT count(*), min(at) FROM derived_files WHERE path = 'again.txt'").Scan(&n,
			&at); err != nil || n != 1 || at <= last {
			t.Fatalf("%d marks, %d after %d, %v", n, at, last, err)
		}
		last = at
	}
}

// TestTaint_stoppedWrite: what a tainted run writes is marked when the run is stopped in the middle of it, too.
func TestTaint_stoppedWrite(t *testing.T) {
	t.Parallel()
	held := &heldWrite{began: make(chan struct{}), goOn: make(chan struct{}), passed: make(chan struct{})}
	d := openDesk(t, held)
	m, a := d.asked(t, id(t), "it-admin", "fetch save:kept.txt")
	wantTainted(t, a)
	d.parked(t)
	if err := d.Decide(gatetest.Answer(*a, wire.AllowOnce)); err != nil {
		t.Fatal(err)
	}
	<-held.began
	if _, err := d.rt.Cancel(t.Context(), wire.RunCancel{RunID: m.RunID, By: owner}); err != nil {
		t.Fatal(err)
	}
	close(held.goOn)
	<-held.passed
	for end := time.Now().Add(time.Minute); d.marked(t, "kept.txt") == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the file is not marked")
		}
	}
	if _, err := os.Stat(filepath.Join(d.data, "kept.txt")); err != nil {
		t.Fatal(err)
	}
	d.wantTaint(t, "tail kept.txt", "kept in kept.txt")
}

package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/demo"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/llm/rehearsal"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/filedelete"
	"gatehouse/agentd/tools/filelist"
	"gatehouse/agentd/tools/fileread"
	"gatehouse/agentd/tools/filewrite"
	"gatehouse/agentd/wire"
)

// meter is a shell that knows one command: it tells how full a disk is that only exists in the test.
type meter struct{ percent atomic.Int64 }

func (m *meter) Definition() tool.Definition {
	return tool.Definition{Name: "shell", Doc: "Run a command.", Args: tool.SchemaOf[policy.ShellArgs]()}
}

func (m *meter) Classify(json.RawMessage) policy.Class {
	return policy.Class{Tier: policy.Green, Action: "server.shell.run", Says: "Look at the disk"}
}

func (m *meter) Run(_ context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, err
	}
	n := m.percent.Load()
	return tool.Result{
		Text: fmt.Sprintf("Filesystem 1K-blocks Used Available Use%% Mounted on\n/dev/vda1 %d %d %d %d%% /\n", 100<<20, n<<20, (100-n)<<20,
			n), Summary: "Looked at the disk",
	}, nil
}

// tour is a server of the demo: rehearsal, the real file tools, the bakery's files.
type tour struct {
	*server
	data  string
	meter *meter
}

func newTour(t *testing.T) *tour {
	t.Helper()
	dir := t.TempDir()
	tr := &tour{data: filepath.Join(dir, "data"), meter: &meter{}}
	if err := os.Mkdir(tr.data, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := demo.Seed(tr.data, filepath.Join(dir, "seeded"), time.Now()); err != nil {
		t.Fatal(err)
	}
	tr.server = startIn(t, dir, options{model: rehearsal.New(0), tools: func(dir string) ([]gate.Tool, error) {
		state := filepath.Join(dir, "state")
		if err := os.MkdirAll(state, 0o700); err != nil {
			return nil, err
		}
		root, err := dataroot.Open(tr.data, state)
		if err != nil {
			return nil, err
		}
		write, err := filewrite.New(root, time.Now)
		return []gate.Tool{tr.meter, filelist.New(root), fileread.New(root), filedelete.New(root, nil), write}, err
	}})
	return tr
}

func (tr *tour) olds(t *testing.T) int {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(tr.data, filepath.FromSlash(demo.Old)))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

func (tr *tour) asked(t *testing.T, m wire.ChatMessage) wire.Approval {
	t.Helper()
	return data[wire.ApprovalData](t, tr.watch.until(t, "the question", func(e wire.RunEvent) bool {
		return e.Root == m.RunID && isApproval(wire.ApprovalPending)(e)
	})).Approval
}

// Through the whole stack, another disk figure makes another answer.
func TestTour_diskFigureMakesTheAnswer(t *testing.T) {
	t.Parallel()
	tr := newTour(t)
	for _, n := range []int64{25, 97} {
		tr.meter.percent.Store(n)
		_, e := tr.ask(t, "dispatcher", "How full is the disk?")
		f := data[wire.FinalData](t, e)
		if !strings.Contains(f.Text, fmt.Sprintf("**%d %%**", n)) || !strings.Contains(f.Text, "IT admin") ||
			f.Verdict != wire.VerdictNothingRan {
			t.Errorf("at %d %%: %+v", n, f)
		}
	}
}

func TestTour_deleteDeniedThenAllowed(t *testing.T) {
	t.Parallel()
	tr := newTour(t)
	before := tr.olds(t)
	no := message(t, id(t), "dispatcher", "Delete the old temporary files")
	tr.post(t, no)
	a := tr.asked(t, no)
	if len(a.Facts) == 0 || a.Facts[0].Value != int64(before) || !strings.Contains(string(a.Args), demo.Old) || a.Reason == "" ||
		a.Agent != "it-admin" {
		t.Errorf("%+v", a)
	}
	d := gatetest.Answer(a, wire.Deny)
	d.Reason = "I still need the scans"
	if err := tr.Decide(d); err != nil {
		t.Fatal(err)
	}
	f := data[wire.FinalData](t, tr.watch.end(t, no.RunID))
	if !strings.Contains(f.Text, "I still need the scans") || f.Verdict != wire.VerdictNothingRan || tr.olds(t) != before {
		t.Errorf("%+v, %d files", f, tr.olds(t))
	}

	yes := message(t, id(t), "dispatcher", "Delete the old temporary files")
	tr.post(t, yes)
	if err := tr.Decide(gatetest.Answer(tr.asked(t, yes), wire.AllowOnce)); err != nil {
		t.Fatal(err)
	}
	f = data[wire.FinalData](t, tr.watch.end(t, yes.RunID))
	if !strings.Contains(f.Text, fmt.Sprintf("%d files", before)) || f.Verdict != wire.VerdictProven || len(f.Claims) != 1 ||
		len(f.Claims[0].Receipts) == 0 || tr.olds(t) != 0 {
		t.Errorf("%+v, %d files", f, tr.olds(t))
	}
	if _, err := os.Stat(filepath.Join(tr.data, "tmp", "upload.part")); err != nil {
		t.Errorf("what no glob named is gone: %v", err)
	}

	gone, e := tr.ask(t, "dispatcher", "Delete the old temporary files")
	if f := data[wire.FinalData](t, e); !strings.Contains(f.Text, "put the demo files back") {
		t.Errorf("%+v", f)
	}
	invoice, err := filepath.Glob(filepath.Join(tr.data, "invoices", "*.txt"))
	if err != nil || len(invoice) == 0 {
		t.Fatal(invoice, err)
	}
	if err := os.Remove(invoice[0]); err != nil {
		t.Fatal(err)
	}
	back := message(t, gone.SessionID, "dispatcher", "Put the demo files back")
	tr.post(t, back)
	f = data[wire.FinalData](t, tr.watch.end(t, back.RunID))
	if tr.olds(t) != before || f.Verdict != wire.VerdictProven || !strings.Contains(f.Text, "1 file of `invoices`") {
		t.Errorf("%+v, %d files", f, tr.olds(t))
	}
}

// At level 1 a note is shown as a diff; an edit by the person is what is written, and the agent says so.
func TestTour_noteEdited(t *testing.T) {
	t.Parallel()
	tr := newTour(t)
	cfg := wire.Config{Version: 1, DefaultLevel: 2, TimeZone: "UTC", Agents: map[string]wire.AgentConfig{"secretary": {Level: 1}}}
	if err := tr.DB.Write(t.Context(), applying(func(tx tx) error { return tr.Config.Apply(context.Background(), tx, cfg) })); err != nil {
		t.Fatal(err)
	}
	m := message(t, id(t), "dispatcher", "Add \"clean the oven\" to notes/to-do.txt")
	tr.post(t, m)
	a := tr.asked(t, m)
	if a.Diff == nil || a.Diff.Added != 1 || !strings.Contains(a.Diff.Unified, "+- clean the oven") {
		t.Fatalf("%+v", a.Diff)
	}
	d := gatetest.Answer(a, wire.Edit)
	d.Args = json.RawMessage(`{"path":"notes/to-do.txt","content":"- nothing left to do\n"}`)
	if err := tr.Decide(d); err != nil {
		t.Fatal(err)
	}
	f := data[wire.FinalData](t, tr.watch.end(t, m.RunID))
	if !strings.Contains(f.Text, "A person changed my request") || f.Verdict != wire.VerdictProven {
		t.Errorf("%+v", f)
	}
	if b, err := os.ReadFile(filepath.Join(tr.data, "notes", "to-do.txt")); err != nil || string(b) != "- nothing left to do\n" {
		t.Errorf("%q, %v", b, err)
	}
}

// The tour's readings, through the whole stack.
func TestTour_reads(t *testing.T) {
	t.Parallel()
	tr := newTour(t)
	for task, want := range map[string]string{
		"Read notes/opening-hours.txt":                  "Saturday 7:00 - 14:00",
		"Which files are in prices?":                    "price-list.csv",
		"Read notes/nothing.txt":                        "no result",
		"Read ../state/agentd.db":                       "no result",
		"Welche Dateien sind in notes?":                 "allergens.txt",
		"Ask the secretary to read notes/suppliers.txt": "the mill",
		"What is the meaning of life?":                  "rehearsal model",
	} {
		_, e := tr.ask(t, "dispatcher", task)
		if e.Event != wire.EventFinal {
			t.Errorf("%s: %s", task, e.Data)
			continue
		}
		if f := data[wire.FinalData](t, e); !strings.Contains(f.Text, want) && !(want == "no result" &&
			strings.Contains(f.Text, "did not work")) {
			t.Errorf("%s: %s", task, f.Text)
		}
	}
	if _, err := os.Stat(filepath.Join(tr.data, "README.txt")); errors.Is(err, os.ErrNotExist) {
		t.Error("reading changed the files")
	}
}

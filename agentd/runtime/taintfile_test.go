package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/fileread"
	"gatehouse/agentd/tools/filewrite"
	"gatehouse/agentd/wire"
)

// keeps does what it is told: "read" reads outside content, "open:FILE" a file, "save:FILE" writes one.
func keeps() model {
	return model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		task, done := "", 0
		for _, m := range o.Messages() {
			switch m.Role {
			case llm.User:
				task, done = m.Text, 0
			case llm.ToolReply:
				done++
			}
		}
		words := strings.Fields(task)
		if done >= len(words) {
			return say("ok", text)
		}
		verb, file, _ := strings.Cut(words[done], ":")
		switch verb {
		case "open":
			return calls(llm.Call{ID: "o", Name: "file_read", Args: `{"path":"` + file + `"}`})
		case "save":
			return calls(llm.Call{ID: "s", Name: "file_write", Args: `{"path":"` + file + `","content":"` + task + `"}`})
		}
		return calls(reads)
	}}
}

// TestTaint_files: a file of the business is inside, but one that a tainted run has written taints who reads it, in
// another conversation too. Others do not.
func TestTaint_files(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.MkdirAll(filepath.Join(data, "notes"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "notes", "own.md"), []byte("ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startIn(t, dir, options{model: keeps(), tools: func(dir string) ([]gate.Tool, error) {
		state := filepath.Join(dir, "state")
		if err := os.MkdirAll(state, 0o700); err != nil {
			return nil, err
		}
		root, err := dataroot.Open(data, state)
		if err != nil {
			return nil, err
		}
		write, err := filewrite.New(root, time.Now)
		shell := &gatetest.Fake{Name: "shell", Ledger: &gatetest.Ledger{Path: filepath.Join(dir, "ledger")}, Limit: time.Minute}
		return []gate.Tool{shell, fileread.New(root), write}, err
	}})
	_, a := s.asked(t, id(t), "it-admin", "read save:notes/mail.md")
	wantTainted(t, a)
	s.allow(t, a)
	if _, a := s.asked(t, id(t), "it-admin", "open:notes/own.md save:notes/b.md"); a != nil {
		t.Fatalf("a file of our own taints: %s", a.WhyAsked)
	}
	for _, file := range []string{"notes/mail.md", "./notes//mail.md", filepath.Join(data, "notes/mail.md")} {
		_, a := s.asked(t, id(t), "it-admin", "open:"+file+" save:notes/c.md")
		if a == nil || len(a.Taint) == 0 || !strings.Contains(a.Taint[0].Source, "kept in notes/mail.md") {
			t.Fatalf("%s: %+v", file, a)
		}
		s.allow(t, a)
	}
}

// stopped is a shell whose every look into a file is stopped after the first of what it printed. "fetch" brings in content
// from outside; what is run with tac is asked.
type stopped struct{ root string }

func (stopped) Definition() tool.Definition {
	return tool.Definition{Name: "shell", Doc: "Run.", Args: tool.SchemaOf[policy.ShellArgs]()}
}

func (stopped) Classify(args json.RawMessage) policy.Class {
	in, err := tool.Parse[policy.ShellArgs](args)
	switch {
	case err != nil:
		return policy.Refuse("server.shell.unreadable", "arguments do not fit")
	case strings.HasPrefix(in.Command, "tac "):
		return policy.Class{Tier: policy.Red, Action: "server.shell.run", Says: "Run"}
	}
	return policy.Class{Tier: policy.Green, Action: "server.shell.look", Says: "Look"}
}

func (s stopped) Run(_ context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := tool.Parse[policy.ShellArgs](args)
	if err := errors.Join(err, p.Redeem(args)); err != nil {
		return tool.Result{}, err
	}
	words := strings.Fields(in.Command)
	if in.Command == "fetch" {
		return tool.Result{Text: "news", Summary: "Fetched", Meta: map[string]any{gate.MetaOutside: true}}, nil
	}
	b, err := os.ReadFile(filepath.Join(s.root, words[len(words)-1]))
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{}, tool.Refuse("Stopped: it took too long. What it printed begins:\n%s", b)
}

// tails does what it is told: "save:FILE" writes a file, anything else is a command, with a + for each blank.
func tails() model {
	return model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		task, done := "", 0
		for _, m := range o.Messages() {
			switch m.Role {
			case llm.User:
				task, done = m.Text, 0
			case llm.ToolReply:
				done++
			}
		}
		words := strings.Fields(task)
		if done >= len(words) {
			return say("ok", text)
		}
		if file, ok := strings.CutPrefix(words[done], "save:"); ok {
			return calls(llm.Call{ID: "s", Name: "file_write", Args: string(do("file_write", policy.FileWriteArgs{Path: file, Content: task}).Args)})
		}
		command := do("shell", policy.ShellArgs{Command: strings.ReplaceAll(words[done], "+", " ")})
		return calls(llm.Call{ID: "c", Name: "shell", Args: string(command.Args)})
	}}
}

// TestTaint_filesOfStopped: a command that is stopped shows the model what it had printed, so a marked file that it read
// taints; and what taints is the command that ran, not the one that was asked about before a person edited it.
func TestTaint_filesOfStopped(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if err := os.MkdirAll(data, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "own.md"), []byte("ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startIn(t, dir, options{model: tails(), tools: func(dir string) ([]gate.Tool, error) {
		state := filepath.Join(dir, "state")
		if err := os.MkdirAll(state, 0o700); err != nil {
			return nil, err
		}
		root, err := dataroot.Open(data, state)
		if err != nil {
			return nil, err
		}
		write, err := filewrite.New(root, time.Now)
		return []gate.Tool{stopped{data}, write}, err
	}})
	_, a := s.asked(t, id(t), "it-admin", "fetch save:kept.txt")
	wantTainted(t, a)
	s.allow(t, a)
	if _, a := s.asked(t, id(t), "it-admin", "tail+own.md save:b.md"); a != nil {
		t.Fatalf("a file of our own taints: %s", a.WhyAsked)
	}
	wantKept := func(a *wire.Approval) {
		t.Helper()
		if a == nil || a.Tool != "file_write" || len(a.Taint) == 0 || !strings.Contains(a.Taint[0].Source, "kept in kept.txt") {
			t.Fatalf("%+v", a)
		}
		s.allow(t, a)
	}
	_, a = s.asked(t, id(t), "it-admin", "tail+kept.txt save:c.md")
	wantKept(a)
	m, a := s.asked(t, id(t), "it-admin", "tac+own.md save:d.md")
	if a == nil || len(a.Taint) > 0 {
		t.Fatalf("not asked, or tainted: %+v", a)
	}
	s.parked(t)
	edit := gatetest.Answer(*a, wire.Edit)
	edit.Args = json.RawMessage(`{"command":"tac kept.txt"}`)
	if err := s.Decide(edit); err != nil {
		t.Fatal(err)
	}
	e := s.watch.until(t, "the question about the file, or the end", func(e wire.RunEvent) bool {
		return e.Root == m.RunID && (e.Event == wire.EventFinal || e.Event == wire.EventError || e.Event == wire.EventApproval &&
			approvalOf(t, e).ID != a.ID)
	})
	if e.Event != wire.EventApproval {
		t.Fatalf("the command that ran does not taint: %s", e.Data)
	}
	next := approvalOf(t, e)
	wantKept(&next)
}

func approvalOf(t *testing.T, e wire.RunEvent) wire.Approval {
	t.Helper()
	return data[wire.ApprovalData](t, e).Approval
}

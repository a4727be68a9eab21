package runtime_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/fileread"
	"gatehouse/agentd/tools/filewrite"
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

package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

const notes = "notes/staged.txt"

func (s *server) note() string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.data, notes))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

func (s *server) setNote(text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.data, notes), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// restore is the operator's command on the state of the running server.
func (s *server) restore(args ...string) (string, int) {
	s.t.Helper()
	return s.tool(append([]string{"staged", "restore", "--state", s.state, "--data", s.data}, args...)...)
}

// restored counts the receipts of finished calls of file_restore.
func (s *server) restored() (n int, last wire.Receipt) {
	s.t.Helper()
	db, err := store.OpenReader(s.state)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			s.t.Error(err)
		}
	}()
	var run string
	err = db.QueryRowContext(s.t.Context(), "SELECT run_id, (SELECT count(*) FROM receipts WHERE type = 'call.finished' AND tool = 'file_restore') FROM receipts WHERE type = 'call.finished' AND tool = 'file_restore' ORDER BY seq DESC LIMIT 1").Scan(&run, &n)
	if err != nil {
		s.t.Fatal(err)
	}
	all, err := receipt.OfRuns(context.WithoutCancel(s.t.Context()), db, []string{run})
	if err != nil {
		s.t.Fatal(err)
	}
	return n, all[0]
}

// written is what the server says of a write before it is taken back.
func (h *hub) written(call string) (c wire.Change, no *wire.RPCError) {
	h.t.Helper()
	r := h.ask(wire.MethodChangeGet, wire.ChangeParams{CallID: call})
	if r.Error == nil {
		if err := json.Unmarshal(r.Result, &c); err != nil {
			h.t.Fatal(err)
		}
	}
	return c, r.Error
}

// newest is the last write that is kept.
func (s *server) newest() string {
	s.t.Helper()
	list, code := s.tool("staged", "list", "--state", s.state)
	lines := strings.Split(list, "\n")
	if code != 0 || len(lines) < 2 {
		s.t.Fatalf("exit %d\n%s", code, list)
	}
	return strings.Fields(lines[1])[1]
}

// TestStaged takes a write of an agent back at the command line while agentd runs: once, with receipts in the one chain,
// over nothing that came later, and not where the owner wants to be asked.
func TestStaged(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := start(t, h)
	const before = "- one\n"
	if err := os.MkdirAll(filepath.Join(s.data, "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.setNote(before)
	h.ended(h.say("Add the line call the bank to " + notes))
	written := s.note()
	if written == before {
		t.Fatal("the agent wrote nothing")
	}
	list, code := s.tool("staged", "list", "--state", s.state)
	m := regexp.MustCompile(`(\S+) +changed +"` + regexp.QuoteMeta(notes) + `"`).FindStringSubmatch(list)
	if code != 0 || m == nil {
		t.Fatalf("exit %d\n%s", code, list)
	}
	if out, code := s.restore(m[1]); code != 0 || s.note() != before || !strings.Contains(out, "Put back the earlier version of "+notes) {
		t.Fatalf("exit %d: %s", code, out)
	}
	n, asked := s.restored()
	if n != 1 || !strings.Contains(string(asked.Body), "operator") || !strings.Contains(string(asked.Body), m[1]) {
		t.Errorf("%d receipts, the first %s", n, asked.Body)
	}
	if out, code := s.restore(m[1]); code != 1 || !strings.Contains(out, "already") {
		t.Errorf("again, exit %d: %s", code, out)
	}
	s.setNote("by hand\n")
	if out, code := s.restore(m[1]); code != 1 || !strings.Contains(out, "changed since") || s.note() != "by hand\n" {
		t.Errorf("over a later change, exit %d: %s", code, out)
	}
	if out, code := s.restore("--anyway", m[1]); code != 0 || s.note() != before {
		t.Errorf("anyway, exit %d: %s", code, out)
	}
	if end := h.ended(h.say("/restore " + s.newest())); end.Final == nil || s.note() != "by hand\n" {
		t.Errorf("what was put back at the command line is not taken back: %q, %+v", s.note(), end.Final)
	}
	h.send(wire.TypeConfigPush, wire.Config{Version: 2, DefaultLevel: 1, TimeZone: "UTC", Business: "Example"})
	wait(h, wire.TypeConfigState, func(c wire.ConfigState) bool { return c.Version == 2 && c.Error == "" })
	s.setNote(written)
	if out, code := s.restore(m[1]); code != 1 || !strings.Contains(out, "/restore") || s.note() != written {
		t.Errorf("where the owner is asked, exit %d: %s", code, out)
	}
	if out, code := s.restore(newUUID()); code != 1 || !strings.Contains(out, "staged list") {
		t.Errorf("no such write, exit %d: %s", code, out)
	}
	if out, code := s.tool("receipts", "verify", "--state", s.state); code != 0 {
		t.Errorf("the chain, exit %d: %s", code, out)
	}
}

// TestStaged_owner: at level 1 the owner takes a write back from the conversation, with a signature, and an end of the
// process in between costs nothing.
func TestStaged_owner(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := start(t, h)
	h.send(wire.TypeConfigPush, wire.Config{Version: 2, DefaultLevel: 1, TimeZone: "UTC", Business: "Example"})
	wait(h, wire.TypeConfigState, func(c wire.ConfigState) bool { return c.Version == 2 && c.Error == "" })
	if err := os.MkdirAll(filepath.Join(s.data, "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.setNote("- one\n")
	root := h.say("Add the line call the bank to " + notes)
	write := h.asked(root)
	h.decide(write, wire.AllowOnce, nil)
	h.ended(root)
	if s.note() == "- one\n" {
		t.Fatal("the agent wrote nothing")
	}
	if c, no := h.written(write.CallID); no != nil || c.State != wire.ChangeKept || c.RunID != root || c.Agent != write.Agent || c.Path != notes || !strings.Contains(c.Diff.Unified, "-- call the bank") {
		t.Errorf("%+v, %v", c, no)
	}
	if _, no := h.written(newUUID()); no == nil || no.Code != "not_found" {
		t.Errorf("no such write: %v", no)
	}
	back := h.say("/restore " + write.CallID)
	a := h.asked(back)
	if a.Tool != "file_restore" || a.Diff == nil || !strings.Contains(a.Diff.Unified, "-- call the bank") {
		b, _ := json.Marshal(a)
		t.Fatalf("%s", b)
	}
	s.kill()
	s.back()
	h.decide(a, wire.AllowOnce, nil)
	run := h.ended(back)
	if run.Final == nil || s.note() != "- one\n" || !strings.Contains(run.Final.Text, notes) || run.Final.Verdict == wire.VerdictNotProven {
		t.Errorf("%q, %+v", s.note(), run.Final)
	}
	if c, no := h.written(write.CallID); no != nil || c.State != wire.ChangeSame {
		t.Errorf("%+v, %v", c, no)
	}
	if end := h.ended(h.say("/restore " + newUUID())); end.Final == nil || !strings.Contains(end.Final.Text, "no write") {
		t.Errorf("%+v", end.Final)
	}
}

// TestStaged_edited: what is taken back is the write that was made, with the path that the owner put in.
func TestStaged_edited(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := start(t, h)
	h.send(wire.TypeConfigPush, wire.Config{Version: 2, DefaultLevel: 1, TimeZone: "UTC", Business: "Example"})
	wait(h, wire.TypeConfigState, func(c wire.ConfigState) bool { return c.Version == 2 && c.Error == "" })
	other := filepath.Join(s.data, "notes", "other.txt")
	if err := os.MkdirAll(filepath.Dir(other), 0o755); err != nil {
		t.Fatal(err)
	}
	s.setNote("- one\n")
	if err := os.WriteFile(other, []byte("- other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	root := h.say("Add the line call the bank to " + notes)
	write := h.asked(root)
	h.decide(write, wire.Edit, func(d *wire.Decision) {
		d.Args = json.RawMessage(`{"path":"notes/other.txt","content":"- other\n- call the bank\n"}`)
		h.sign(d)
	})
	h.ended(root)
	if b, err := os.ReadFile(other); err != nil || string(b) == "- other\n" || s.note() != "- one\n" {
		t.Fatalf("%q, %q, %v", b, s.note(), err)
	}
	back := h.say("/restore " + write.CallID)
	h.decide(h.asked(back), wire.AllowOnce, nil)
	run := h.ended(back)
	if b, err := os.ReadFile(other); err != nil || string(b) != "- other\n" || s.note() != "- one\n" {
		t.Errorf("%q, %q, %v: %+v", b, s.note(), err, run.Final)
	}
}

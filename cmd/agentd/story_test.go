package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatehouse/agentd"
	"gatehouse/agentd/wire"
)

var owner = wire.DecidedBy{UserID: "u1", Name: "owner@example.com", Role: "owner", Channel: "portal", Address: "127.0.0.1", Method: "session"}

// say writes to the team and gives the id of the run.
func (h *hub) say(text string) string {
	h.t.Helper()
	run := newUUID()
	h.send(wire.TypeChatMessage, wire.ChatMessage{
		RunID: run, SessionID: newUUID(), Agent: "dispatcher", Text: text, Time: time.Now().UTC(), From: wire.Origin{UserID: "u1", Email: "owner@example.com", Channel: "portal", Address: "127.0.0.1"},
	})
	return run
}

// asked waits for the approval of a run.
func (h *hub) asked(root string) wire.Approval {
	h.t.Helper()
	return wait(h, wire.TypeApprovalRequest, func(a wire.Approval) bool { return a.RootRunID == root && a.State == wire.ApprovalPending })
}

func (h *hub) decide(a wire.Approval, v wire.Verb, change func(*wire.Decision)) wire.Frame {
	h.t.Helper()
	d := wire.Decision{ApprovalID: a.ID, Digest: a.Digest, Verb: v, By: owner}
	if v != wire.Deny {
		h.sign(&d)
	}
	if change != nil {
		change(&d)
	}
	return h.send(wire.TypeApprovalDecision, d)
}

// ended waits until the server says that a run has ended.
func (h *hub) ended(root string) wire.Run {
	h.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		h.linked()
		r := h.ask(wire.MethodRunGet, wire.RunParams{RunID: root})
		var run wire.Run
		if r.Error == nil && json.Unmarshal(r.Result, &run) == nil && !run.State.Open() {
			return run
		}
		time.Sleep(10 * time.Millisecond) // the answer is asked for again until it is there
	}
	h.t.Fatalf("run %s does not end", root)
	return wire.Run{}
}

func temps(t *testing.T, s *server) int {
	t.Helper()
	n := 0
	err := filepath.Walk(s.data, func(path string, _ os.FileInfo, err error) error {
		if strings.HasSuffix(path, ".tmp") {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// receipts reads the log of a run through the command of the operator.
func (s *server) receipts(t *testing.T, run string) (types []string) {
	t.Helper()
	out, code := s.tool("receipts", "export", "--state", s.state, "--run", run)
	var e export
	if err := json.Unmarshal([]byte(out), &e); err != nil || code != 0 || !e.Verified {
		t.Fatalf("export (%d): %v\n%s", code, err, out)
	}
	for _, r := range e.Items {
		types = append(types, r.Type)
	}
	return types
}

// TestAgentd_attacks sends a real process what a hub gone bad could send: nothing runs, each leaves a receipt.
func TestAgentd_attacks(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := start(t, h)
	root := h.say("Delete the old temporary files")
	a := h.asked(root)
	before := temps(t, s)
	if before == 0 {
		t.Fatal("the demo has no temporary files")
	}
	h.decide(a, wire.AllowOnce, func(d *wire.Decision) { d.Digest = strings.Repeat("0", 64) })
	h.decide(a, wire.AllowOnce, func(d *wire.Decision) { d.ApprovalID = newUUID() })
	h.decide(a, wire.AllowOnce, func(d *wire.Decision) { d.By.Role = "staff" })
	h.decide(a, wire.AllowOnce, func(d *wire.Decision) { d.Signature = nil })
	h.decide(a, wire.AllowOnce, func(d *wire.Decision) { d.Signature.Time = d.Signature.Time.Add(time.Second) })
	h.decide(a, wire.Edit, func(d *wire.Decision) { d.Args = a.Args })
	h.decide(a, wire.AllowOnce, func(d *wire.Decision) { d.Signature = h.strangers(*d) })
	h.put(frame(wire.TypeApprovalDecision, wire.Decision{ApprovalID: a.ID, Digest: a.Digest, Verb: wire.AllowOnce, By: owner})) // not sealed
	sealed := h.send(wire.TypeConfigPush, wire.Config{Version: 2, DefaultLevel: 7})
	_ = sealed
	wait(h, wire.TypeConfigState, func(c wire.ConfigState) bool { return c.Error != "" }) // the last of them was taken in
	if now := temps(t, s); now != before {
		t.Fatalf("%d of %d files are left", now, before)
	}
	if n := strings.Count(s.log.String(), `"level":"ERROR"`); n > 0 {
		t.Errorf("%d errors in the log", n)
	}
	allow := h.decide(a, wire.AllowOnce, nil)
	h.ended(root)
	if now := temps(t, s); now >= before {
		t.Errorf("%d of %d files are left after the allow", now, before)
	}
	h.put(allow) // a replay, under the same id and a new number
	h.decide(a, wire.AllowOnce, nil)
	h.send(wire.TypeConfigPush, wire.Config{Version: 3, DefaultLevel: 2, TimeZone: "UTC"})
	wait(h, wire.TypeConfigState, func(c wire.ConfigState) bool { return c.Version == 3 })
	types := strings.Join(s.receipts(t, a.RunID), " ")
	if strings.Count(types, "call.started") != strings.Count(types, "call.finished") || strings.Count(types, "approval.refused") != 2 || strings.Count(types, "call.denied") != 5 {
		t.Errorf("receipts of the run: %s", types)
	}
	s.signal(syscall.SIGTERM)
	if code := s.end(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if out, code := s.tool("receipts", "verify", "--state", s.state); code != 0 || !strings.HasPrefix(out, "ok: ") {
		t.Errorf("verify (%d): %s", code, out)
	}
}

// TestAgentd_killedWhileItWaits kills the process at an approval: it comes back with the same question, and an answer
// given while it was away is carried out once.
func TestAgentd_killedWhileItWaits(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := start(t, h)
	root := h.say("Delete the old temporary files")
	a := h.asked(root)
	s.kill()
	h.until("the link to end", func([]wire.Frame) bool { return h.conn == nil })
	h.decide(a, wire.AllowOnce, nil)
	before := temps(t, s)
	s.back()
	run := h.ended(root)
	if run.State != wire.RunDone || temps(t, s) >= before {
		t.Errorf("run %s, %d of %d files are left", run.State, temps(t, s), before)
	}
	types := s.receipts(t, a.RunID)
	if n := strings.Count(strings.Join(types, " "), "call.approved"); n != 1 {
		t.Errorf("receipts %v", types)
	}
}

func TestAgentd_stopsInOrder(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := start(t, h)
	a := h.asked(h.say("Delete the old temporary files"))
	if p := s.pid(); p.PID != s.cmd.Process.Pid || !strings.HasPrefix(p.MetricsAddr, "127.0.0.1:") {
		t.Errorf("pid file %+v", p)
	}
	s.signal(syscall.SIGTERM)
	if code := s.end(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if strings.Contains(s.log.String(), "agentd stopped late") {
		t.Error("with nothing at work it used the whole time that tools have to finish")
	}
	if _, err := os.Stat(filepath.Join(s.state, agentd.PIDFile)); !os.IsNotExist(err) {
		t.Errorf("pid file: %v", err)
	}
	s.back()
	reply := h.ask(wire.MethodApprovalGet, wire.ApprovalParams{ID: a.ID})
	var now wire.Approval
	if err := json.Unmarshal(reply.Result, &now); err != nil || now.State != wire.ApprovalPending || now.Digest != a.Digest {
		t.Errorf("after the restart the approval is %+v, %v", now, err)
	}
}

func TestAgentd_isQuickAndSmall(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := start(t, h)
	_, rest, found := strings.Cut(s.log.String(), `"ready_ms":`)
	if !found {
		t.Fatal("agentd never said that it is ready")
	}
	t.Logf("ready after %s ms, %d MB", strings.TrimRight(strings.Fields(rest)[0], "}"), s.rss())
	if mb := s.rss(); mb > 60 { // the goal of 40 is measured by the benchmark; this catches a leap
		t.Errorf("%d MB when idle", mb)
	}
}

// TestAgentd_wrongVaultKey: before the key is proven nothing is made in the data folder, nor is the folder itself.
func TestAgentd_wrongVaultKey(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := start(t, h)
	s.signal(syscall.SIGTERM)
	s.end()
	aside := s.data + "-aside"
	if err := errors.Join(os.Rename(s.data, aside), os.Remove(filepath.Join(s.state, "demo.seeded"))); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(s.state, "vault.key")
	good, err := os.ReadFile(key)
	if err == nil {
		err = os.WriteFile(key, []byte(base64.RawURLEncoding.EncodeToString(make([]byte, 32))+"\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.run()
	if code := s.end(); code != exitHard {
		t.Errorf("exit %d, want %d\n%s", code, exitHard, s.log)
	}
	if _, err := os.Stat(s.data); !os.IsNotExist(err) {
		t.Errorf("the data folder was made: %v", err)
	}
	if err := errors.Join(os.Rename(aside, s.data), os.WriteFile(key, good, 0o600)); err != nil {
		t.Fatal(err)
	}
	s.back()
}

// TestAgentd_hardFaults starts on states that a person has to look at: exit 78, and nothing is made better by itself.
func TestAgentd_hardFaults(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := start(t, h)
	h.ended(h.say("How full is the disk?"))
	s.signal(syscall.SIGTERM)
	s.end()
	db := filepath.Join(s.state, "agentd.db")
	good, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func() error{
		"open to others": func() error { return os.Chmod(s.state, 0o755) },
		"damaged":        func() error { return os.WriteFile(db, append([]byte("no database"), good[11:]...), 0o600) },
		"gone":           func() error { return os.Remove(db) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		s.run()
		if code := s.end(); code != exitHard {
			t.Errorf("%s: exit %d\n%s", name, code, s.log)
		}
		if err := os.Chmod(s.state, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(db, good, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.back()
}

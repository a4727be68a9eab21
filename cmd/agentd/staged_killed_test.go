package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"gatehouse/agentd/seeded"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
	"gatehouse/cmd/kept"
)

// mortal builds agentd once with fail points, beside the one that is shipped.
var mortal = sync.OnceValues(func() (string, error) {
	shipped, err := binary()
	if err != nil {
		return "", err
	}
	return kept.Program("../..", filepath.Dir(shipped), "agentd", "failpoint")
})

// restoreKilled is restore by a process that is killed at a point.
func (s *server) restoreKilled(point, call string) {
	s.t.Helper()
	path, err := mortal()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.CommandContext(s.t.Context(), path, "staged", "restore", "--state", s.state, "--data", s.data, call)
	cmd.Env = append(os.Environ(), "FAILPOINT="+point)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		s.t.Fatalf("at %s: %v\n%s", point, err, out)
	}
}

// restores counts the calls of file_restore: those that are open, and those with that receipt at their end.
func (s *server) restores(end string) (open, ended int) {
	s.t.Helper()
	db, err := store.OpenReader(s.state)
	if err != nil {
		s.t.Fatal(err)
	}
	err = errors.Join(
		db.QueryRowContext(s.t.Context(), "SELECT count(*) FROM gate_calls WHERE tool = 'file_restore' AND state IN ('asked', 'started')").Scan(&open),
		db.QueryRowContext(s.t.Context(), "SELECT count(*) FROM receipts WHERE tool = 'file_restore' AND type = ?", end).Scan(&ended),
		db.Close(),
	)
	if err != nil {
		s.t.Fatal(err)
	}
	return open, ended
}

// wantRestores waits until no call of the operator is open, and so many have that end.
func (s *server) wantRestores(after, end string, want int) {
	s.t.Helper()
	tick, limit := time.NewTicker(200*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for {
		open, ended := s.restores(end)
		if open == 0 {
			if ended != want {
				s.t.Errorf("%s: %d receipts %s, want %d", after, ended, end, want)
			}
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			s.t.Fatalf("%s: %d calls of the operator are still open", after, open)
		}
	}
}

// TestStaged_killed kills the operator's command in the middle of its call. Nobody asks for that call again, so it ends:
// by the agentd that runs, by the next one that starts, or by the next command, whichever comes first, and never while
// the command is still at work.
func TestStaged_killed(t *testing.T) {
	seeded.Turn(t)
	t.Parallel()
	h := newHub(t)
	s := start(t, h)
	if err := os.MkdirAll(filepath.Join(s.data, "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.setNote("- one\n")
	h.ended(h.say("Add the line call the bank to " + notes))
	written := s.note()
	list, _ := s.tool("staged", "list", "--state", s.state)
	m := regexp.MustCompile(`(\S+) +changed +"` + regexp.QuoteMeta(notes) + `"`).FindStringSubmatch(list)
	if m == nil {
		t.Fatalf("no write is kept:\n%s", list)
	}
	call := m[1]

	s.restoreKilled("running:1", call)
	if s.note() != written {
		t.Error("put back before its time")
	}
	s.wantRestores("while agentd runs", "call.unknown", 1)

	s.kill()
	s.restoreKilled("ran:1", call)
	if s.note() != "- one\n" {
		t.Error("not put back")
	}
	atWork, err := store.Hold(s.state, "operator.lock")
	if err != nil {
		t.Fatal(err)
	}
	s.back()
	if open, _ := s.restores("call.unknown"); open != 1 {
		t.Errorf("%d calls are open while their command is at work, want 1", open)
	}
	if err := atWork.Close(); err != nil {
		t.Fatal(err)
	}
	s.wantRestores("after a start of agentd", "call.unknown", 2)

	h.send(wire.TypeConfigPush, wire.Config{Version: 2, DefaultLevel: 1, TimeZone: "UTC", Business: "Example"})
	wait(h, wire.TypeConfigState, func(c wire.ConfigState) bool { return c.Version == 2 && c.Error == "" })
	s.kill()
	s.setNote(written)
	s.restoreKilled("asked:1", call)
	if out, code := s.restore(newUUID()); code != 1 {
		t.Errorf("exit %d: %s", code, out)
	}
	if out, code := s.restore(call); code != 1 {
		t.Errorf("where the owner is asked, exit %d: %s", code, out)
	}
	s.wantRestores("after the next command", "call.withdrawn", 2)
	s.back()
	if out, code := s.tool("receipts", "verify", "--state", s.state); code != 0 || s.note() != written {
		t.Errorf("%q, the chain, exit %d: %s", s.note(), code, out)
	}
}

package gate_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/wire"
)

// watched opens a bench whose third tool acts on a file.
func watched(t *testing.T) (*bench, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("as it was"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &gatetest.Watched{Fake: gatetest.Fake{Name: "watch"}, File: file}
	b := open(t, w)
	w.Ledger = b.ledger
	return b, file
}

func TestWorld_changesBeforeTheAct(t *testing.T) {
	t.Parallel()
	b, file := watched(t)
	c := b.call("watch", "red", "")
	f, a := b.ask(c)
	if len(a.Facts) != 1 || a.Facts[0].Value != 9 {
		t.Errorf("facts %+v", a.Facts)
	}
	write(t, file, "something else")
	b.decide(gatetest.Answer(a, wire.AllowOnce))
	next := b.successor(a.ID)
	b.wantRan(c.ID, 0)
	if next.Facts[0].Value != 14 || !strings.Contains(next.WhyAsked, "changed meanwhile") {
		t.Errorf("asked again as %+v", next)
	}
	b.decide(gatetest.Answer(next, wire.AllowOnce))
	b.wantState(f.end(t), wire.ToolDone)
	b.wantRan(c.ID, 1)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestWorld_measuredRiskier(t *testing.T) {
	t.Parallel()
	b, file := watched(t)
	write(t, file, "critical things")
	f, a := b.ask(b.call("watch", "green", ""))
	if a.Tier != "critical_red" {
		t.Errorf("tier %s", a.Tier)
	}
	f.stop()
}

func TestWorld_measuredAway(t *testing.T) {
	t.Parallel()
	b, file := watched(t)
	c := b.call("watch", "red", "")
	f, a := b.ask(c)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	b.decide(gatetest.Answer(a, wire.AllowOnce))
	out := f.end(t)
	b.wantState(out, wire.ToolDenied)
	b.wantRan(c.ID, 0)
	if a = b.approval(a.ID); a.State != wire.ApprovalAllowed || a.Execution != wire.ExecFailed {
		t.Errorf("approval ends %s, %s", a.State, a.Execution)
	}
}

// stager is a Watched that stages what it would write.
type stager struct {
	gatetest.Watched
	before    string
	beside    string // a line of the file that stands beside the change
	discarded []string
}

func (s *stager) Stage(_ context.Context, _ string, args json.RawMessage) (gate.Staged, error) {
	return gate.Staged{
		Hash: strings.Repeat("a", 64), Before: s.before, Path: "notes.txt", Unified: " " + s.beside + "\n+new",
		New: true, Added: 1,
	}, nil
}

func (s *stager) Discard(_ context.Context, callID string) error {
	s.discarded = append(s.discarded, callID)
	return nil
}

// kept is what the tables hold of a call and its approvals.
func (b *bench) kept(callID string) string {
	b.t.Helper()
	var all string
	err := b.DB.Read().QueryRowContext(b.t.Context(),
		`SELECT (SELECT body FROM gate_calls WHERE id = ?1) ||
			(SELECT group_concat(body) FROM gate_approvals WHERE call_id = ?1)`, callID).Scan(&all)
	if err != nil {
		b.t.Fatal(err)
	}
	return all
}

func TestWorld_staged(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "x")
	s := &stager{Watched: gatetest.Watched{Fake: gatetest.Fake{Name: "stage"}, File: file}, before: "-"}
	b := open(t, s)
	s.Ledger = b.ledger
	token := "gh" + "p_" + strings.ReplaceAll(rand.Text()+rand.Text(), "=", "")[:36]
	s.beside = "token: " + token
	c := b.call("stage", "red", "")
	f, a := b.ask(c)
	if kept := b.kept(c.ID); strings.Contains(kept, token) || !strings.Contains(kept, "+new") {
		t.Error("what stands beside a change is kept with its secrets")
	}
	if a.Diff == nil || !strings.HasSuffix(a.Diff.Unified, "\n+new") || strings.Contains(a.Diff.Unified, token) ||
		a.StagedHash != strings.Repeat("a", 64) || a.Digest != wire.DigestOf(a) {
		t.Errorf("approval %+v", a)
	}
	s.before = strings.Repeat("b", 64) // somebody else wrote the file
	b.decide(gatetest.Answer(a, wire.AllowOnce))
	next := b.successor(a.ID)
	if !strings.Contains(next.WhyAsked, "file changed") {
		t.Errorf("asked again because %q", next.WhyAsked)
	}
	b.decide(gatetest.Answer(next, wire.Deny))
	b.wantState(f.end(t), wire.ToolDenied)
	if len(s.discarded) == 0 || s.discarded[0] != c.ID {
		t.Errorf("discarded %v", s.discarded)
	}
	b.wantRan(c.ID, 0)
}

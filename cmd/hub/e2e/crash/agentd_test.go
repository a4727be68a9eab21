package crash

import (
	"strings"
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestAgentdKilled_midAnswer: the provider starts agentd again, the run goes on, and the text is what the model wrote.
func TestAgentdKilled_midAnswer(t *testing.T) {
	h, c := e2e.Start(t, e2e.StartModel(t).Env()...)
	run, s := c.Say("secretary", e2e.Script(t, long)), &e2e.Story{}
	c.Follow(run, s, func() bool { return len(s.Text) > 200 })
	h.KillAgentd(t)
	c.Follow(run, s, s.Ended)
	if s.Final == nil || strings.TrimSpace(s.Final.Text) != strings.TrimSpace(e2e.Words(long.Pieces)) {
		t.Fatalf("the run ended with %v", s.Tail())
	}
	if got := s.Answer(t); got != e2e.Words(long.Pieces) {
		t.Errorf("the pieces that hold make up\n%s", got)
	}
}

// TestAgentdKilled_parked kills agentd while a question waits, and decides before it is back: it is carried out once.
func TestAgentdKilled_parked(t *testing.T) {
	h, c := e2e.Start(t)
	question := c.Asked(c.Say("dispatcher", "Delete the old temporary files"))
	if len(h.Temps(t)) == 0 {
		t.Fatal("the demo has no temporary files")
	}
	old := h.Agentd(t)
	e2e.Kill(t, old)
	c.WantUnchanged(question)
	c.Allow(question.ID)
	h.AwaitNewAgentd(t, old)
	if end := c.End(question.RootRunID); end.Final == nil || len(h.Temps(t)) != 0 {
		t.Errorf("%d files are left: %v", len(h.Temps(t)), end.Tail())
	}
	all := c.Receipts(question.RootRunID)
	if e2e.Count(all, "call.approved", "") != 1 || e2e.Count(all, "call.started", "file_delete") != 1 ||
		e2e.Count(all, "call.finished", "file_delete") != 1 {
		t.Errorf("receipts: %v", e2e.Types(all))
	}
}

// TestAgentdKilled_midTool kills agentd while a program that it runs has done its work and not yet ended: the program
// dies with it, what became of the call is unknown, and nothing runs a second time.
func TestAgentdKilled_midTool(t *testing.T) {
	h, c := e2e.Start(t)
	run := c.Say("it-admin", "Run `perl -e 'open(F,q(>>),q(ledger));print F qq(once);close F;sleep 60'`")
	c.Allow(c.Asked(run).ID)
	e2e.Until(t, "the program's effect", func() bool { return len(e2e.Lines(t, h.Data("ledger"))) > 0 })
	h.KillAgentd(t)
	s := c.End(run)
	if s.Final == nil {
		t.Errorf("the run ended with %+v", s.Err)
	}
	all := c.Receipts(run)
	if e2e.Count(all, "call.started", "shell") != 1 || e2e.Count(all, "call.unknown", "shell") != 1 ||
		e2e.Count(all, "call.finished", "shell") != 0 {
		t.Errorf("receipts: %v", e2e.Types(all))
	}
	if got := ledgerOf(t, h, "ledger"); got != "once" {
		t.Errorf("the program left %q", got)
	}
	if left := h.Workers(t); len(left) > 0 {
		t.Errorf("programs outlived agentd: %v", left)
	}
}

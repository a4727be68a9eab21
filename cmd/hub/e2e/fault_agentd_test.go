package e2e

import (
	"os"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestAgentdKilled_midAnswer: the provider starts agentd again, the run goes on, and the text is what the model wrote.
func TestAgentdKilled_midAnswer(t *testing.T) {
	h, c := parallelHub(t, startModel(t).env()...)
	run, s := c.say("secretary", script(t, long)), &story{}
	c.follow(run, s, func() bool { return len(s.text) > 200 })
	h.killAgentd(t)
	c.follow(run, s, s.ended)
	if s.final == nil || strings.TrimSpace(s.final.Text) != strings.TrimSpace(words(long.Pieces)) {
		t.Fatalf("the run ended with %v", s.tail())
	}
	if got := s.answer(t); got != words(long.Pieces) {
		t.Errorf("the pieces that hold make up\n%s", got)
	}
}

// answer puts together the pieces of the root run that hold: those of the last attempt of each model call.
func (s *story) answer(t *testing.T) (text string) {
	t.Helper()
	var pieces []wire.DeltaData
	last := map[int]int{} // attempt by step
	for _, e := range s.events {
		if e.kind != wire.EventDelta {
			continue
		}
		d := decoded[wire.DeltaData](t, e)
		pieces, last[d.Step] = append(pieces, d), max(last[d.Step], d.Attempt)
	}
	for _, d := range pieces {
		if d.Attempt == last[d.Step] {
			text += d.Text
		}
	}
	return text
}

// TestAgentdKilled_parked kills agentd while a question waits, and decides before it is back: it is carried out once.
func TestAgentdKilled_parked(t *testing.T) {
	h, c := parallelHub(t)
	question := c.asked(c.say("dispatcher", "Delete the old temporary files"))
	if len(h.temps(t)) == 0 {
		t.Fatal("the demo has no temporary files")
	}
	old := h.agentd(t)
	killNow(t, old)
	c.wantUnchanged(question)
	c.allow(question.ID)
	h.awaitNewAgentd(t, old)
	if end := c.end(question.RootRunID); end.final == nil || len(h.temps(t)) != 0 {
		t.Errorf("%d files are left: %v", len(h.temps(t)), end.tail())
	}
	all := c.receipts(question.RootRunID)
	if count(all, "call.approved", "") != 1 || count(all, "call.started", "file_delete") != 1 || count(all, "call.finished", "file_delete") != 1 {
		t.Errorf("receipts: %v", types(all))
	}
}

func types(all []wire.Receipt) (out []string) {
	for _, r := range all {
		out = append(out, r.Type+" "+r.Tool)
	}
	return out
}

// TestAgentdKilled_midTool kills agentd while a program that it runs has done its work and not yet ended: the program
// dies with it, what became of the call is unknown, and nothing runs a second time.
func TestAgentdKilled_midTool(t *testing.T) {
	h, c := parallelHub(t)
	run := c.say("it-admin", "Run `perl -e 'open(F,q(>>),q(ledger));print F qq(once);close F;sleep 60'`")
	c.allow(c.asked(run).ID)
	until(t, "the program's effect", func() bool { return len(lines(t, h.data("ledger"))) > 0 })
	h.killAgentd(t)
	s := c.end(run)
	if s.final == nil {
		t.Errorf("the run ended with %+v", s.err)
	}
	all := c.receipts(run)
	if count(all, "call.started", "shell") != 1 || count(all, "call.unknown", "shell") != 1 || count(all, "call.finished", "shell") != 0 {
		t.Errorf("receipts: %v", types(all))
	}
	if got := ledgerOf(t, h, "ledger"); got != "once" {
		t.Errorf("the program left %q", got)
	}
	if left := perls(t, h); len(left) > 0 {
		t.Errorf("programs outlived agentd: %v", left)
	}
}

// perls are the running programs whose working folder is the server's data.
func perls(t *testing.T, h *hub) (found []string) {
	t.Helper()
	procs, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range procs {
		cwd, err := os.Readlink("/proc/" + p.Name() + "/cwd")
		if err == nil && strings.HasPrefix(cwd, h.data()) {
			found = append(found, p.Name())
		}
	}
	return found
}

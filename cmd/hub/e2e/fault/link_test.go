package fault

import (
	"syscall"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// TestLinkCut stops agentd, so that its link is open and nobody answers: messages and decisions are taken all the same,
// the reader is told that the server is away, and when it goes on each is carried out once, in order.
func TestLinkCut(t *testing.T) {
	h, c := e2e.Start(t)
	question := c.Asked(c.Say("secretary", "Email someone@example.com that we open at nine"))
	pid := h.Agentd(t)
	e2e.Signal(t, pid, syscall.SIGSTOP)
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) }) // it may have ended
	runs := []string{
		c.Say("secretary", "Write a note to notes/queue.md: first"),
		c.Say("it-admin", "How full is the disk?"),
	}
	c.Allow(question.ID)
	if a := c.Approval(question.ID); a.State != wire.ApprovalAllowed || a.Execution == wire.ExecDone {
		t.Errorf("decided while the server is away, it stands as %s, %s", a.State, a.Execution)
	}
	away := &e2e.Story{}
	c.Follow(runs[1], away, func() bool { return len(away.Events) > 0 })
	if away.Events[0].Kind != wire.EventQueued {
		t.Errorf("the reader got %s first", away.Events[0].Kind)
	}
	e2e.Signal(t, pid, syscall.SIGCONT)
	if s := c.Follow(runs[1], away, away.Ended); s.Final == nil {
		t.Errorf("the message that waited ended with %+v", s.Err)
	}
	note := c.Asked(runs[0])
	c.Allow(note.ID)
	c.End(runs[0])
	c.End(question.RootRunID)
	if n := len(h.Mails(t, "someone@example.com")); n != 1 || e2e.Count(c.Receipts(question.RootRunID), "call.started", "message") != 1 {
		t.Errorf("the mail was sent %d times", n)
	}
	if n := len(e2e.Lines(t, h.Data("notes", "queue.md"))); n != 1 {
		t.Errorf("the note has %d lines", n)
	}
	if h.Agentd(t) != pid {
		t.Error("agentd was started anew: the test cut no link")
	}
}

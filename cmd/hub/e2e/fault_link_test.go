package e2e

import (
	"syscall"
	"testing"

	"gatehouse/agentd/wire"
)

// TestLinkCut stops agentd, so that its link is open and nobody answers: messages and decisions are taken all the same,
// the reader is told that the server is away, and when it goes on each is carried out once, in order.
func TestLinkCut(t *testing.T) {
	h, c := parallelHub(t)
	question := c.asked(c.say("secretary", "Email someone@example.com that we open at nine"))
	pid := h.agentd(t)
	signal(t, pid, syscall.SIGSTOP)
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) }) // it may have ended
	runs := []string{
		c.say("secretary", "Write a note to notes/queue.md: first"),
		c.say("it-admin", "How full is the disk?"),
	}
	c.allow(question.ID)
	if a := c.approval(question.ID); a.State != wire.ApprovalAllowed || a.Execution == wire.ExecDone {
		t.Errorf("decided while the server is away, it stands as %s, %s", a.State, a.Execution)
	}
	away := &story{}
	c.follow(runs[1], away, func() bool { return len(away.events) > 0 })
	if away.events[0].kind != wire.EventQueued {
		t.Errorf("the reader got %s first", away.events[0].kind)
	}
	signal(t, pid, syscall.SIGCONT)
	if s := c.follow(runs[1], away, away.ended); s.final == nil {
		t.Errorf("the message that waited ended with %+v", s.err)
	}
	note := c.asked(runs[0])
	c.allow(note.ID)
	c.end(runs[0])
	c.end(question.RootRunID)
	if n := len(h.mails(t, "someone@example.com")); n != 1 || count(c.receipts(question.RootRunID), "call.started", "message") != 1 {
		t.Errorf("the mail was sent %d times", n)
	}
	if n := len(lines(t, h.data("notes", "queue.md"))); n != 1 {
		t.Errorf("the note has %d lines", n)
	}
	if h.agentd(t) != pid {
		t.Error("agentd was started anew: the test cut no link")
	}
}

func signal(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatal(err)
	}
}

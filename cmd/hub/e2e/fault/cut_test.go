package fault

import (
	"fmt"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// TestLinkBroken cuts the link and keeps it from coming back: what people write and decide meanwhile waits, agentd goes
// on with what needs nobody, and all of it comes together once, in order.
func TestLinkBroken(t *testing.T) {
	front, env := startProxy(t)
	env = append(env, "AGENTD_BIN="+e2e.AgentdVia(t, "http://"+front.front.Addr().String()))
	h, c := e2e.Start(t, append(env, e2e.StartModel(t).Env()...)...)
	question := c.Asked(c.Say("secretary", e2e.ToolScript(t, "Sent.", e2e.Tool("message", mail("open")))))
	working, s := c.Say("it-admin", e2e.Script(t, e2e.Step{Pieces: 200, Pause: 5 * time.Millisecond})), &e2e.Story{}
	c.Follow(working, s, func() bool { return s.Text != "" })

	front.hold("GET /agentd/link")
	c.Allow(question.ID)
	var waiting []string
	for i := range 5 {
		note := e2e.Tool("shell", map[string]any{"command": fmt.Sprintf("echo %d >> order.txt", i)})
		waiting = append(waiting, c.Say("it-admin", e2e.ToolScript(t, "Noted.", note)))
	}
	if a := c.Approval(question.ID); a.State != wire.ApprovalAllowed || a.Execution == wire.ExecDone {
		t.Errorf("decided while the link is cut, it stands as %s, %s", a.State, a.Execution)
	}
	front.release()
	if c.Follow(working, s, s.Ended); s.Final == nil || s.Answer(t) != e2e.Words(200) {
		t.Errorf("the answer under way ended with %v", s.Tail())
	}
	for _, run := range append(waiting, question.RootRunID) {
		if end := c.End(run); end.Final == nil {
			t.Errorf("what waited ended with %v", end.Tail())
		}
	}
	if got := e2e.Lines(t, h.Data("order.txt")); len(got) != len(waiting) {
		t.Errorf("the messages left %q", got)
	}
	if n := len(h.Mails(t, "someone@example.com")); n != 1 || e2e.Count(c.Receipts(question.RootRunID), "call.started", "message") != 1 {
		t.Errorf("the mail was sent %d times", n)
	}
}

func mail(text string) map[string]any {
	return map[string]any{"to": "someone@example.com", "subject": "Hours", "text": text}
}

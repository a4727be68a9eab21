package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// viaProxy is an agentd that reaches its hub at another address than it is told.
func viaProxy(t *testing.T, url string) string {
	t.Helper()
	path := filepath.Join(bin, "agentd-"+t.Name())
	text := fmt.Sprintf("#!/bin/sh\nAGENTD_HUB=%s exec %s \"$@\"\n", url, filepath.Join(bin, "agentd"))
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLinkBroken cuts the link and keeps it from coming back: what people write and decide meanwhile waits, agentd goes
// on with what needs nobody, and all of it comes together once, in order.
func TestLinkBroken(t *testing.T) {
	front, env := startProxy(t)
	env = append(env, "AGENTD_BIN="+viaProxy(t, "http://"+front.front.Addr().String()))
	h, c := parallelHub(t, append(env, startModel(t).env()...)...)
	question := c.asked(c.say("secretary", script(t, call(tool("message", mail("open"))), step{Say: "Sent."})))
	working, s := c.say("it-admin", script(t, step{Pieces: 200, Pause: 5 * time.Millisecond})), &story{}
	c.follow(working, s, func() bool { return s.text != "" })

	front.hold("GET /agentd/link")
	c.allow(question.ID)
	var waiting []string
	for i := range 5 {
		waiting = append(waiting, c.say("it-admin", script(t, call(tool("shell", map[string]any{"command": fmt.Sprintf("echo %d >> order.txt", i)})), step{Say: "Noted."})))
	}
	if a := c.approval(question.ID); a.State != wire.ApprovalAllowed || a.Execution == wire.ExecDone {
		t.Errorf("decided while the link is cut, it stands as %s, %s", a.State, a.Execution)
	}
	front.release()
	if c.follow(working, s, s.ended); s.final == nil || s.answer(t) != words(200) {
		t.Errorf("the answer under way ended with %v", s.tail())
	}
	for _, run := range append(waiting, question.RootRunID) {
		if end := c.end(run); end.final == nil {
			t.Errorf("what waited ended with %v", end.tail())
		}
	}
	if got := lines(t, h.data("order.txt")); len(got) != len(waiting) {
		t.Errorf("the messages left %q", got)
	}
	if n := len(h.mails(t, "someone@example.com")); n != 1 || count(c.receipts(question.RootRunID), "call.started", "message") != 1 {
		t.Errorf("the mail was sent %d times", n)
	}
}

func mail(text string) map[string]any {
	return map[string]any{"to": "someone@example.com", "subject": "Hours", "text": text}
}

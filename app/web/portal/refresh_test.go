package portal_test

import (
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestChat_looksAgain: without a script the page looks for news by itself while the team works, and not while it waits
// for the reader, who may be typing why not.
func TestChat_looksAgain(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	b := h.owner(t, of)
	run, session := newID(), newID()
	p.begin(run, session, "Delete the old files")
	want := func(looks int, when string) {
		t.Helper()
		if n := strings.Count(b.get("/app/chat/"+session).Find("noscript").Text(), `http-equiv="refresh"`); n != looks {
			t.Errorf("%s the page looks again %d times, want %d", when, n, looks)
		}
	}
	want(1, "while the team works")
	p.delta(t, run, session, "I ask to delete them.", false)
	p.sessions[0].Turns[0].Last = 1
	want(1, "while it writes")
	a := p.ask(t, func(a *wire.Approval) { a.RunID, a.RootRunID, a.SessionID = run, run, session })
	p.emit(t, run, session, wire.EventApproval, false, func(n int64) any { return wire.ApprovalData{N: n, Approval: a} })
	p.sessions[0].Turns[0].Last = 2
	want(0, "while a question waits")
	p.final(t, run, session, "Nothing was deleted.", wire.VerdictNothingRan)
	p.sessions[0].Turns[0].Run.State = wire.RunDone
	want(0, "at the end")
}

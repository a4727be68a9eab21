package chat_test

import (
	"regexp"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

var again = regexp.MustCompile(`http-equiv="refresh" content="5; url=([^"]*)"`)

// TestChat_looksAgain: without a script the page looks for news by itself while the team works, and not while it waits
// for the reader, who may be typing why not.
func TestChat_looksAgain(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	b := h.Owner(t, of)
	run, session := portaltest.NewID(), portaltest.NewID()
	p.Begin(run, session, "Delete the old files")
	page := "/app/chat/" + session
	want := func(looks int, when string) {
		t.Helper()
		found := again.FindStringSubmatch(b.Get(page).Find("noscript").Text())
		if n := min(len(found), 1); n != looks {
			t.Errorf("%s the page looks again %d times, want %d", when, n, looks)
		}
		if looks == 0 || len(found) == 0 {
			return
		}
		next, turn, _ := strings.Cut(found[1], "#")
		if next == page || turn != "turn-"+run {
			t.Errorf("%s the page %s looks again at %s: a browser loads nothing, or shows another turn", when, page, found[1])
		}
		page = next
	}
	want(1, "while the team works")
	p.Delta(t, run, session, "I ask to delete them.", false)
	p.Sessions[0].Turns[0].Last = 1
	want(1, "while it writes")
	a := p.Propose(t, func(a *wire.Approval) { a.RunID, a.RootRunID, a.SessionID = run, run, session })
	p.Emit(t, run, session, wire.EventApproval, false, func(n int64) any { return wire.ApprovalData{N: n, Approval: a} })
	p.Sessions[0].Turns[0].Last = 2
	want(0, "while a question waits")
	p.Final(t, run, session, "Nothing was deleted.", wire.VerdictNothingRan)
	p.Sessions[0].Turns[0].Run.State = wire.RunDone
	want(0, "at the end")
}

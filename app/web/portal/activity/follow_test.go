package activity_test

import (
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// setState changes a run on the server, without a word to open pages.
func setState(p *portaltest.Peer, run string, state wire.RunState) {
	p.Lock()
	defer p.Unlock()
	r := p.Runs[run]
	r.State = state
	p.Runs[run] = r
}

// setQuestion gives a run the only question that it asks.
func setQuestion(p *portaltest.Peer, run string, a *wire.Approval) {
	p.Lock()
	defer p.Unlock()
	r := p.Runs[run]
	if r.Asked, r.Calls = nil, nil; a != nil {
		r.Asked = []*wire.Approval{a}
		r.Calls = []wire.CallInfo{{ID: a.CallID, RunID: run, Agent: a.Agent, Tool: a.Tool, State: wire.ToolAsked, ApprovalID: a.ID}}
	}
	p.Runs[run] = r
}

// openRun opens the page of a run that waits for its turn.
func openRun(p *portaltest.Peer, t testing.TB, run, session string) *portaltest.Stream {
	t.Helper()
	p.Begin(run, session, "How full is the disk?")
	setState(p, run, wire.RunQueued)
	b := p.Hub.Owner(t, p.Of)
	s := b.Open(b.Get("/app/runs/"+run).Live(), "")
	s.Until("Waiting for its turn")
	return s
}

// TestRun_pageFollows: everything that can change what the page of a run says makes it look again.
func TestRun_pageFollows(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	run, session := portaltest.NewID(), portaltest.NewID()
	s := openRun(p, t, run, session)
	setState(p, run, wire.RunRunning)
	p.Delta(t, run, session, "I look at", false)
	s.Until("Working")
	setState(p, run, wire.RunParked)
	p.Propose(t)
	s.Until("Waiting for you")
	setState(p, run, wire.RunRunning)
	p.Notify()
	s.Until("Working")
	a := p.Propose(t, func(a *wire.Approval) { a.RunID, a.RootRunID, a.SessionID = run, run, session })
	setQuestion(p, run, &a)
	p.Emit(t, run, session, wire.EventApproval, false, func(n int64) any { return wire.ApprovalData{N: n, Approval: a} })
	s.Until("Waiting for you") // before the server has noted that it does
	setQuestion(p, run, nil)
	p.Delta(t, run, session, "the disk.", true)
	p.Notify() // the server comes back, and what it said meanwhile was lost
	s.Until("Working")
	setState(p, run, wire.RunDone)
	p.Final(t, run, session, "It is full.", wire.VerdictNothingRan)
	s.Until("Finished")
}

// TestRun_pageTriesAgain: a page that could not be brought up to date is, once it can, though nothing tells of it.
func TestRun_pageTriesAgain(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	run, session := portaltest.NewID(), portaltest.NewID()
	s := openRun(p, t, run, session)
	f := p.Fail(t, wire.MethodRunGet, 2)
	setState(p, run, wire.RunDone)
	p.Final(t, run, session, "It is full.", wire.VerdictNothingRan)
	s.Until("Finished")
	if left := f.Remaining.Load(); left >= 0 {
		t.Errorf("the page was drawn before the server could say how the run stands: %d", left)
	}
}

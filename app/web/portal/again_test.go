package portal_test

import (
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// faulty is a server that cannot answer one question for a while.
type faulty struct {
	*peer
	method wire.Method
	left   atomic.Int32 // how often it still fails
}

// fails makes the server answer the next n questions of a kind with an error.
func (p *peer) fails(t testing.TB, method wire.Method, n int32) *faulty {
	t.Helper()
	f := &faulty{peer: p, method: method}
	f.left.Store(n)
	p.cut()
	cut, err := p.hub.relay.Attach(t.Context(), string(p.of.server), time.Now().UnixNano(), f)
	must(t, err)
	t.Cleanup(cut)
	return f
}

func (f *faulty) Ask(request []byte, reply func([]byte)) {
	var q wire.RPCRequest
	if json.Unmarshal(request, &q) == nil && q.Method == f.method && f.left.Add(-1) >= 0 {
		out, _ := json.Marshal(wire.RPCReply{ID: q.ID, Error: &wire.RPCError{Code: "internal", Text: "It does not work."}})
		reply(out)
		return
	}
	f.peer.Ask(request, reply)
}

// becomes changes a run on the server, without a word to open pages.
func (p *peer) becomes(run string, state wire.RunState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.runs[run]
	r.State = state
	p.runs[run] = r
}

// questioned gives a run the only question that it asks.
func (p *peer) questioned(run string, a *wire.Approval) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.runs[run]
	if r.Asked, r.Calls = nil, nil; a != nil {
		r.Asked = []*wire.Approval{a}
		r.Calls = []wire.CallInfo{{ID: a.CallID, RunID: run, Agent: a.Agent, Tool: a.Tool, State: wire.ToolAsked, ApprovalID: a.ID}}
	}
	p.runs[run] = r
}

// openRun opens the page of a run that waits for its turn.
func (p *peer) openRun(t testing.TB, run, session string) *stream {
	t.Helper()
	p.begin(run, session, "How full is the disk?")
	p.becomes(run, wire.RunQueued)
	b := p.hub.owner(t, p.of)
	s := b.open(b.get("/app/runs/"+run).live(), "")
	s.until("Waits for its turn")
	return s
}

// TestRun_pageFollows: everything that can change what the page of a run says makes it look again.
func TestRun_pageFollows(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	run, session := newID(), newID()
	s := p.openRun(t, run, session)
	p.becomes(run, wire.RunRunning)
	p.delta(t, run, session, "I look at", false)
	s.until("Working")
	p.becomes(run, wire.RunParked)
	p.ask(t)
	s.until("Waits for you")
	p.becomes(run, wire.RunRunning)
	p.tell()
	s.until("Working")
	a := p.ask(t, func(a *wire.Approval) { a.RunID, a.RootRunID, a.SessionID = run, run, session })
	p.questioned(run, &a)
	p.emit(t, run, session, wire.EventApproval, false, func(n int64) any { return wire.ApprovalData{N: n, Approval: a} })
	s.until("Waits for you") // before the server has noted that it does
	p.questioned(run, nil)
	p.delta(t, run, session, "the disk.", true)
	p.tell() // the server comes back, and what it said meanwhile was lost
	s.until("Working")
	p.becomes(run, wire.RunDone)
	p.final(t, run, session, "It is full.", wire.VerdictNothingRan)
	s.until("Finished")
}

// TestRun_pageTriesAgain: a page that could not be brought up to date is, once it can, though nothing tells of it.
func TestRun_pageTriesAgain(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	run, session := newID(), newID()
	s := p.openRun(t, run, session)
	f := p.fails(t, wire.MethodRunGet, 2)
	p.becomes(run, wire.RunDone)
	p.final(t, run, session, "It is full.", wire.VerdictNothingRan)
	s.until("Finished")
	if left := f.left.Load(); left >= 0 {
		t.Errorf("the page was drawn before the server could say how the run stands: %d", left)
	}
}

// TestChat_looksForTurnsAgain: the same for a message that came in while the conversation could not be read.
func TestChat_looksForTurnsAgain(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	old, session := newID(), newID()
	p.begin(old, session, "Before")
	b := h.owner(t, of)
	s := b.open(b.get("/app/chat/"+session).live(), "")
	p.delta(t, old, session, "It is open now.", false)
	s.until("It is open now.")
	p.fails(t, wire.MethodSessionGet, 2)
	run := newID()
	p.begin(run, session, "Asked in the other tab")
	p.final(t, run, session, "Answered there.", wire.VerdictNothingRan)
	s.until("Answered there.")
}

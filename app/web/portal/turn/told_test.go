package turn

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gatehouse/agentd/wire"
)

// What the hub tells of decisions shows sooner, and leaves nothing behind: in the end the page shows what the server
// reports, whenever and however often the hub told.
func TestTurn_toldDecisionsLeaveNoTrace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		events := drawRun(t)
		want := undisturbed(t, events)
		got := newPage(t)
		turn := New(rootRun, "dispatcher", t0, 0)
		asked := questions(t, events)
		for _, ev := range events {
			turn.Take(ev)
			if len(asked) > 0 && rapid.Bool().Draw(t, "tell") {
				turn.Told(decidedAtHub(rapid.SampledFrom(asked).Draw(t, "which")))
			}
			if rapid.Bool().Draw(t, "flush") {
				push(got, turn)
			}
		}
		push(got, turn)
		if got.dom() != want.dom() {
			t.Fatalf("told\n%s\nnot told\n%s", got.dom(), want.dom())
		}
	})
}

// questions are the approvals that a run asks.
func questions(t *rapid.T, events []wire.RunEvent) []wire.Approval {
	var out []wire.Approval
	for _, ev := range events {
		if ev.Event == wire.EventApproval {
			var d wire.ApprovalData
			read(ev, func(v wire.ApprovalData) { d = v })
			out = append(out, d.Approval)
		}
	}
	return out
}

// decidedAtHub is an approval as the hub keeps it once it was decided: erased, and waiting for the server.
func decidedAtHub(a wire.Approval) wire.Approval {
	a.Args, a.Facts, a.Diff, a.Summary, a.Reason, a.WhyAsked = nil, nil, nil, "", "", ""
	a.State, a.Execution = wire.ApprovalAllowed, wire.ExecQueued
	a.DecidedBy = &wire.DecidedBy{Name: "owner@example.com", Channel: "portal", Time: t0}
	return a
}

func TestTurn_decisionShowsBeforeTheServerHasIt(t *testing.T) {
	t.Parallel()
	s := &script{}
	call := s.id()
	a := wire.Approval{
		ID: s.id(), RunID: rootRun, CallID: call, Agent: "dispatcher", Tool: "shell", Tier: "red", Summary: "Delete the old files",
		Args: []byte(`{"command":"rm old"}`), State: wire.ApprovalPending, ExpiresAt: t0.Add(time.Hour),
	}
	s.emit(wire.EventApproval, func(n int64) any { return wire.ApprovalData{N: n, Approval: a} })
	turn := New(rootRun, "dispatcher", t0, 0)
	turn.Told(decidedAtHub(a)) // the hub may tell before the run asks
	turn.Take(s.events[0])
	page := turn.markup(t)
	for _, want := range []string{"Allowed once", "owner@example.com", "Waiting for the server", "Delete the old files", "rm old"} {
		if !strings.Contains(page, want) {
			t.Errorf("the card lacks %q", want)
		}
	}
	if strings.Contains(page, "<form") || len(turn.Waiting()) != 0 {
		t.Error("a decided question still asks")
	}
}

// An id that could reach into other parts of a page is not shown.
func TestTurn_refusesIdsThatAreNone(t *testing.T) {
	t.Parallel()
	s := &script{}
	for _, id := range []string{"", "x, #main", "../..", "01939b5e"} {
		s.emit(wire.EventDelta, func(n int64) any { return wire.DeltaData{N: n, RunID: id, Text: "text of " + id} })
		s.emit(wire.EventTool, func(n int64) any { return wire.ToolData{N: n, RunID: rootRun, CallID: id, Tool: "tool-" + id} })
	}
	turn := New(rootRun, "dispatcher", t0, 0)
	for _, ev := range s.events {
		turn.Take(ev)
	}
	if page := turn.markup(t); strings.Contains(page, "text of") || strings.Contains(page, "tool-") {
		t.Errorf("the page shows %s", page)
	}
	if turn.Last() != int64(len(s.events)) {
		t.Error("events that are not shown are lost from the count")
	}
}

func TestPast_readsLikeTheEvents(t *testing.T) {
	t.Parallel()
	call, child, ask := "01939b5e-0000-7000-8000-000000000011", childRun, "01939b5e-0000-7000-8000-000000000012"
	run := wire.Run{
		RunInfo: wire.RunInfo{ID: rootRun, Agent: "dispatcher", State: wire.RunDone},
		Steps: []wire.Step{
			{RunID: child, Agent: "it-admin", N: 1, Text: "I look.", Calls: []string{"01939b5e-0000-7000-8000-000000000013"}},
			{RunID: rootRun, Agent: "dispatcher", N: 1, Text: "I hand this on.", Calls: []string{call}},
			{RunID: rootRun, Agent: "dispatcher", N: 2, Text: "It is done."},
		},
		Calls: []wire.CallInfo{
			{ID: call, RunID: rootRun, Agent: "dispatcher", Tool: dispatch, State: wire.ToolDone, Args: []byte(`{"target":"it-admin","task":"Look"}`), Target: "it-admin", Child: child},
			{ID: "01939b5e-0000-7000-8000-000000000013", RunID: child, Agent: "it-admin", Tool: "shell", Tier: "red", State: wire.ToolDone, Summary: "Ran df"},
		},
		Asked: []*wire.Approval{{ID: ask, RunID: child, CallID: "01939b5e-0000-7000-8000-000000000013", Agent: "it-admin", Tool: "shell", Tier: "red", Summary: "Run df", State: wire.ApprovalAllowed, Execution: wire.ExecDone}},
		Final: &wire.FinalData{RunID: rootRun, Text: "It is done.", Verdict: wire.VerdictProven, Receipts: []int64{1}},
	}
	past := Past(run, t0)
	page := past.markup(t)
	at := -1
	for _, want := range []string{"I hand this on.", "passed this to", "Look", "I look.", "Ran df", "Run df", "It is done.", "Proven"} {
		i := strings.Index(page[at+1:], want)
		if i < 0 {
			t.Fatalf("the page lacks %q behind what stands before it", want)
		}
		at += i + 1
	}
	if strings.Count(page, "It is done.") != 1 {
		t.Error("the answer stands twice")
	}
	if past.Open() || !strings.Contains(page, "Show the receipts") {
		t.Error("receipts are not offered")
	}
}

// A page that is taken up again shows what the hub told before the server had repeated what the page shows, also inside
// of work that was handed on.
func TestTurn_toldBeforeTheServerRepeats(t *testing.T) {
	t.Parallel()
	for _, run := range []string{rootRun, childRun} {
		s := &script{}
		if run == childRun {
			s.tool(rootRun, s.id(), dispatch, wire.ToolRunning, childRun)
		}
		a := wire.Approval{
			ID: s.id(), RunID: run, CallID: s.id(), Agent: agentOf(run), Tool: "shell", Tier: "red", Summary: "Delete the old files",
			Args: []byte(`{"command":"rm old"}`), State: wire.ApprovalPending, ExpiresAt: t0.Add(time.Hour),
		}
		s.emit(wire.EventApproval, func(n int64) any { return wire.ApprovalData{N: n, Approval: a} })
		page := undisturbed(t, s.events)
		again := New(rootRun, "dispatcher", t0, page.have)
		again.Told(decidedAtHub(a))
		for _, ev := range s.events {
			push(page, again)
			again.Take(ev)
		}
		push(page, again)
		want := New(rootRun, "dispatcher", t0, 0)
		for _, ev := range s.events {
			want.Take(ev)
		}
		want.Told(decidedAtHub(a))
		fresh := newPage(t)
		push(fresh, want)
		if got := page.dom(); got != fresh.dom() {
			t.Errorf("taken up again\n%s\nmade anew\n%s", got, fresh.dom())
		}
	}
}

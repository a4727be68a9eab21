package turn

import (
	"encoding/json"
	"fmt"
	"time"

	"pgregory.net/rapid"

	_ "gatehouse/agentd/seeded"
	"gatehouse/agentd/wire"
)

// script writes the events of a run as a server would.
type script struct {
	t      *rapid.T
	events []wire.RunEvent
	n      int64
	calls  int
	seq    int64
}

func (s *script) emit(kind wire.Event, data func(n int64) any) {
	s.n++
	raw, err := json.Marshal(data(s.n))
	if err != nil {
		s.t.Fatalf("marshal: %v", err)
	}
	s.events = append(s.events, wire.RunEvent{Root: rootRun, Session: session, N: s.n, Event: kind, Data: raw})
}

var pieces = []string{"The disk", " is **42 %** full.", "\n\n", "- one\n", "- two\n\n", "```\ndf -h\n\n", "```\n", "Done. ", "# Head\n\n", "|a|b|\n|-|-|\n", "\n"}

func (s *script) write(run string, step, attempt int) string {
	text := ""
	for range rapid.IntRange(1, 8).Draw(s.t, "pieces") {
		piece := rapid.SampledFrom(pieces).Draw(s.t, "piece")
		text += piece
		s.emit(wire.EventDelta, func(n int64) any {
			return wire.DeltaData{N: n, RunID: run, Agent: agentOf(run), Step: step, Attempt: attempt, Text: piece}
		})
	}
	return text
}

func agentOf(run string) string {
	if run == childRun {
		return "it-admin"
	}
	return "dispatcher"
}

func (s *script) tool(run, call, tool string, state wire.ToolState, child string) {
	s.emit(wire.EventTool, func(n int64) any {
		d := wire.ToolData{N: n, RunID: run, Agent: agentOf(run), CallID: call, Tool: tool, Tier: "red", State: state, Summary: "Do " + tool}
		if tool == dispatch {
			d.Target, d.Child = "it-admin", child
		}
		return d
	})
}

func (s *script) receipt(run, call, kind string) {
	s.seq++
	seq := s.seq
	s.emit(wire.EventReceipt, func(n int64) any {
		return wire.ReceiptData{N: n, Receipt: wire.Receipt{Seq: seq, Time: t0, Type: kind, RunID: run, CallID: call, Tool: "shell", Body: json.RawMessage(`{"summary":"x"}`)}}
	})
}

func (s *script) id() string {
	s.calls++
	return fmt.Sprintf("01939b5e-0000-7000-8000-00000001%04d", s.calls)
}

// call is one call of a run from request to end, with a question in between when drawn.
func (s *script) call(run string) {
	id := s.id()
	s.tool(run, id, "shell", wire.ToolRequested, "")
	s.receipt(run, id, "call.requested")
	if rapid.Bool().Draw(s.t, "asks") {
		s.question(run, id)
	}
	s.tool(run, id, "shell", wire.ToolRunning, "")
	s.tool(run, id, "shell", rapid.SampledFrom([]wire.ToolState{wire.ToolDone, wire.ToolFailed}).Draw(s.t, "end"), "")
	s.receipt(run, id, "call.finished")
}

func (s *script) question(run, call string) {
	s.tool(run, call, "shell", wire.ToolAsked, "")
	a := wire.Approval{
		ID: s.id(), RunID: run, RootRunID: rootRun, SessionID: session, CallID: call, Agent: agentOf(run), Tool: "shell", Tier: "red",
		Args: json.RawMessage(`{"command":"rm old"}`), Summary: "Delete", State: wire.ApprovalPending, Execution: wire.ExecNone,
		ExpiresAt: t0.Add(24 * time.Hour), Digest: "d",
	}
	ask := func() {
		s.emit(wire.EventApproval, func(n int64) any { return wire.ApprovalData{N: n, Approval: a} })
	}
	ask()
	a.State, a.DecidedBy = wire.ApprovalAllowed, &wire.DecidedBy{Name: "owner@example.com", Role: "owner", Channel: "portal", Time: t0}
	ask()
	a.Execution = wire.ExecDone
	ask()
}

// handOver is a delegated run.
func (s *script) handOver() {
	id := s.id()
	s.tool(rootRun, id, dispatch, wire.ToolRequested, "")
	s.tool(rootRun, id, dispatch, wire.ToolRunning, childRun)
	s.write(childRun, 1, 0)
	s.call(childRun)
	s.write(childRun, 2, 0)
	s.tool(rootRun, id, dispatch, wire.ToolDone, childRun)
}

// restart is what a crash of the server in the middle of a model call leaves: the call is repeated, numbers jump, and
// what was written in vain may be gone from the record.
func (s *script) restart(run string, step int) {
	before := len(s.events)
	s.write(run, step, 0)
	if rapid.Bool().Draw(s.t, "forgotten") {
		s.events = s.events[:before]
	}
	s.n += int64(rapid.IntRange(1, 1000).Draw(s.t, "jump"))
}

// drawRun draws a whole run.
func drawRun(t *rapid.T) []wire.RunEvent {
	s := &script{t: t}
	if rapid.Bool().Draw(t, "queued") {
		s.emit(wire.EventQueued, func(n int64) any { return wire.QueuedData{N: n, RunID: rootRun, Why: "after another run"} })
	}
	step, handed := 0, false
	for range rapid.IntRange(0, 4).Draw(t, "steps") {
		step++
		attempt := 0
		if rapid.IntRange(0, 4).Draw(t, "crash") == 0 {
			s.restart(rootRun, step)
			attempt = 1
		}
		s.write(rootRun, step, attempt)
		if !handed && rapid.Bool().Draw(t, "hand over") {
			handed = true
			s.handOver()
		} else {
			s.call(rootRun)
		}
	}
	s.end(step + 1)
	return s.events
}

func (s *script) end(step int) {
	text := s.write(rootRun, step, 0)
	if rapid.IntRange(0, 3).Draw(s.t, "fails") == 0 {
		s.emit(wire.EventError, func(n int64) any {
			return wire.ErrorData{N: n, RunID: rootRun, Type: "stopped", Title: "Stopped", Text: text}
		})
		return
	}
	if rapid.IntRange(0, 3).Draw(s.t, "restated") == 0 {
		text = "Put right.\n\nIt was not sent.\n"
	}
	v := rapid.SampledFrom([]wire.Verdict{wire.VerdictProven, wire.VerdictNotProven}).Draw(s.t, "verdict")
	s.emit(wire.EventFinal, func(n int64) any {
		return wire.FinalData{N: n, RunID: rootRun, Agent: "dispatcher", Text: text, Verdict: v, Receipts: []int64{1}}
	})
}

package runtime_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// isDispatcher tells by its tools who is asked.
func isDispatcher(o llm.Outgoing) bool {
	return slices.ContainsFunc(o.Tools(), func(d tool.Definition) bool { return d.Name == "agent_dispatch" })
}

func TestDispatch_inTheParentsStream(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		last := newest(o)
		switch {
		case isDispatcher(o) && last.Role == llm.ToolReply:
			return say("It says: "+last.Text, text)
		case isDispatcher(o):
			return calls(hand("h", "it-admin", "look"))
		case last.Role == llm.ToolReply:
			return say("41 %", text)
		}
		if last.Text != "look" || len(o.Messages()) != 2 {
			return say("I see more than my task: "+last.Text, text)
		}
		return calls(doit("a", "green", "x", ""))
	}}})
	m, e := s.ask(t, "dispatcher", "How full?")
	f := data[wire.FinalData](t, e)
	if f.Text != "It says: 41 %" || f.Usage.Output != 8 || f.RunID != m.RunID {
		t.Fatalf("%+v", f)
	}
	run := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID})
	if len(run.Tree) != 1 || run.RunInfo.Calls != 2 {
		t.Fatalf("%+v", run.Tree)
	}
	if c := run.Tree[0]; c.Agent != "it-admin" || c.State != wire.RunDone || c.ParentID != m.RunID || c.Calls != 1 {
		t.Fatalf("%+v", run.Tree)
	}
	child := run.Tree[0].ID
	if len(run.Calls) != 2 || run.Calls[0].Child != child || run.Calls[0].Target != "it-admin" || run.Calls[1].RunID != child ||
		len(run.Steps) != 4 {
		t.Errorf("calls %+v, steps %+v", run.Calls, run.Steps)
	}
	seen := map[string]bool{}
	for _, e := range s.watch.events() {
		switch e.Event {
		case wire.EventDelta:
			seen["delta of "+data[wire.DeltaData](t, e).RunID] = true
		case wire.EventTool:
			d := data[wire.ToolData](t, e)
			seen["tool of "+d.RunID] = true
			if d.Child == child && d.State == wire.ToolRunning {
				seen["link to the child while it runs"] = true
			}
		case wire.EventReceipt:
			seen["receipt of "+data[wire.ReceiptData](t, e).RunID] = true
		}
		if e.Root != m.RunID {
			t.Errorf("event outside the parent's stream: %+v", e)
		}
	}
	for _, want := range []string{"delta of " + child, "tool of " + child, "receipt of " + child, "link to the child while it runs"} {
		if !seen[want] {
			t.Errorf("no %s", want)
		}
	}
}

func TestDispatch_refusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ target, want string }{
		"nobody":   {"nobody", "no colleague"},
		"itself":   {"dispatcher", "already works on the task"},
		"bad name": {"../x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, options{model: once(hand("h", c.target, "do it"))})
			m, e := s.ask(t, "dispatcher", "Go")
			if e.Event != wire.EventFinal || !strings.Contains(data[wire.FinalData](t, e).Text, c.want) {
				t.Errorf("%s", e.Data)
			}
			if run := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID}); len(run.Tree) != 0 {
				t.Errorf("%+v", run.Tree)
			}
		})
	}
}

// One message makes a bounded number of runs, however many tasks are handed on side by side.
func TestDispatch_most(t *testing.T) {
	t.Parallel()
	s := start(t, options{limits: runtime.Limits{Handed: 3}, model: model{func(_ context.Context, o llm.Outgoing,
		text func(string),
	) (llm.Reply, error) {
		if !isDispatcher(o) {
			return say("looked at it", text)
		}
		if newest(o).Role != llm.ToolReply {
			return calls(hand("1", "it-admin", "a"), hand("2", "it-admin", "b"), hand("3", "secretary", "c"), hand("4", "secretary", "d"),
				hand("5", "it-admin", "e"))
		}
		var all []string
		for _, m := range o.Messages() {
			if m.Role == llm.ToolReply {
				all = append(all, m.Text)
			}
		}
		return say(strings.Join(all, "\n"), text)
	}}})
	m, e := s.ask(t, "dispatcher", "Go")
	f := data[wire.FinalData](t, e)
	if strings.Count(f.Text, "looked at it") != 3 || strings.Count(f.Text, "3 tasks were handed on already") != 2 {
		t.Errorf("%s", f.Text)
	}
	if run := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID}); len(run.Tree) != 3 {
		t.Errorf("%d runs", len(run.Tree))
	}
}

// One message costs a bounded number of tokens: who is handed a task has no cap of its own, and neither has who hands it on.
func TestDispatch_tokens(t *testing.T) {
	t.Parallel()
	s := start(t, options{limits: runtime.Limits{Tokens: 50}, model: model{func(_ context.Context, o llm.Outgoing,
		text func(string),
	) (llm.Reply, error) {
		if !isDispatcher(o) {
			return say("looked at it", text)
		}
		return calls(hand(fmt.Sprint(len(o.Messages())), "it-admin", fmt.Sprint("look at ", len(o.Messages()))))
	}}})
	m, e := s.ask(t, "dispatcher", "Go")
	if d := data[wire.ErrorData](t, e); d.Type != "limit" || !strings.Contains(d.Detail, "60 tokens were used for this message") ||
		!strings.Contains(d.Detail, "50 is the most") {
		t.Fatalf("%s", e.Data)
	}
	s.stoppedAt(t, m.RunID, m.RunID, "50 is the most")
	run := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID})
	if len(run.Tree) != 3 || run.Usage.Input+run.Usage.Output != 60 {
		t.Errorf("%d runs, %+v", len(run.Tree), run.Usage)
	}
}

// What the delegated run could not do is a value for the one that delegated, and its words stay.
func TestDispatch_failureIsAValue(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		switch {
		case !isDispatcher(o):
			return llm.Reply{}, &llm.Error{Kind: llm.Unavailable, Detail: "for a test"}
		case newest(o).Role == llm.ToolReply:
			return say(newest(o).Text, text)
		}
		return calls(hand("h", "it-admin", "look"))
	}}})
	_, e := s.ask(t, "dispatcher", "Go")
	if f := data[wire.FinalData](t, e); !strings.Contains(f.Text, "[failed]") || !strings.Contains(f.Text, "could not finish") ||
		!strings.Contains(f.Text, "cannot be reached") {
		t.Errorf("%+v", f)
	}
}

// A delegated run that waits for a person parks its parent too, and neither takes a place.
func TestDispatch_parkedChild(t *testing.T) {
	t.Parallel()
	s := start(t, options{limits: runtime.Limits{Main: 1, Subagent: 1}, model: model{func(_ context.Context, o llm.Outgoing,
		text func(string),
	) (llm.Reply, error) {
		last := newest(o)
		switch {
		case o.Messages()[1].Text == "quick":
			return say("quick", text)
		case last.Role == llm.ToolReply:
			return say("ok: "+last.Text, text)
		case isDispatcher(o):
			return calls(hand("h", "it-admin", "do it"))
		}
		return calls(doit("a", "red", "x", ""))
	}}})
	m := message(t, id(t), "dispatcher", "Do it")
	s.post(t, m)
	a := data[wire.ApprovalData](t, s.watch.until(t, "the question", isApproval(wire.ApprovalPending)))
	if a.RootRunID != m.RunID || a.RunID == m.RunID {
		t.Errorf("%+v", a)
	}
	s.parked(t)
	if run := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID}); run.State != wire.RunParked ||
		run.Tree[0].State != wire.RunParked || len(run.Asked) != 1 {
		t.Errorf("root %s, child %s", run.State, run.Tree[0].State)
	}
	if _, e := s.ask(t, "it-admin", "quick"); data[wire.FinalData](t, e).Text != "quick" {
		t.Errorf("%s", e.Data)
	}
	if err := s.Decide(gatetest.Answer(a.Approval, wire.AllowOnce)); err != nil {
		t.Fatal(err)
	}
	if f := data[wire.FinalData](t, s.watch.end(t, m.RunID)); f.Text != "ok: ok: did x" {
		t.Errorf("%+v", f)
	}
	if run := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID}); run.State != wire.RunDone || run.Worst != "red" ||
		run.Tree[0].Worst != "red" || run.Verdict != wire.VerdictProven {
		t.Errorf("%+v", run.RunInfo)
	}
}

// Many dispatchers with few places for delegated runs: nobody waits for somebody who waits for them.
func TestDispatch_noDeadlock(t *testing.T) {
	t.Parallel()
	s := start(t, options{limits: runtime.Limits{Main: 2, Subagent: 1}, model: model{func(_ context.Context, o llm.Outgoing,
		text func(string),
	) (llm.Reply, error) {
		switch {
		case newest(o).Role == llm.ToolReply || !isDispatcher(o):
			return say("ok", text)
		}
		return calls(hand("1", "it-admin", "a"), hand("2", "secretary", "b"))
	}}})
	var all []wire.ChatMessage
	for i := range 8 {
		m := message(t, id(t), "dispatcher", fmt.Sprint(i))
		s.post(t, m)
		all = append(all, m)
	}
	for _, m := range all {
		if e := s.watch.end(t, m.RunID); e.Event != wire.EventFinal {
			t.Errorf("%s", e.Data)
		}
	}
}

// A specialist hands tasks only to those colleagues that the owner lets it ask: by default to none, and it is not even offered.
func TestDispatch_allowList(t *testing.T) {
	t.Parallel()
	m := model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		switch {
		case askedOf(o) == "write":
			return say("written", text)
		case newest(o).Role == llm.ToolReply:
			return say(fmt.Sprintf("offered %v: %s", isDispatcher(o), newest(o).Text), text)
		}
		return calls(hand("h", "secretary", "write"))
	}}
	s := start(t, options{model: m})
	_, e := s.ask(t, "it-admin", "Go")
	if f := data[wire.FinalData](t, e); !strings.Contains(f.Text, "offered false") ||
		!strings.Contains(f.Text, "has not let you hand tasks to Secretary") {
		t.Errorf("%s", f.Text)
	}
	allow := map[string]wire.AgentConfig{"it-admin": {Asks: []string{"secretary"}}}
	if err := s.World.Config.Adopt(t.Context(), wire.Config{Version: 1, DefaultLevel: 2, TimeZone: "UTC", Agents: allow}); err != nil {
		t.Fatal(err)
	}
	_, e = s.ask(t, "it-admin", "Go")
	if f := data[wire.FinalData](t, e); !strings.Contains(f.Text, "offered true: written") {
		t.Errorf("%s", f.Text)
	}
	allow["it-admin"] = wire.AgentConfig{Asks: []string{"marketing"}}
	if err := s.World.Config.Adopt(t.Context(), wire.Config{Version: 2, DefaultLevel: 2, TimeZone: "UTC", Agents: allow}); err != nil {
		t.Fatal(err)
	}
	_, e = s.ask(t, "it-admin", "Go")
	if f := data[wire.FinalData](t, e); !strings.Contains(f.Text, "has not let you") {
		t.Errorf("%s", f.Text)
	}
}

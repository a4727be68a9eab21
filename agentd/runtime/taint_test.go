package runtime_test

import (
	"context"
	"strings"
	"testing"

	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/wire"
)

// reads brings in content from outside; writes changes something.
var (
	reads  = doit("reads", "green", "mail", "outside")
	writes = doit("writes", "yellow", "note", "")
)

// obeys does what its newest message from a person says, word by word: one call for each word, then it is done.
// "read" reads outside content, "write" writes, "hand:word" lets the admin do a word.
func obeys() model {
	return model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		task, done := "", 0
		for _, m := range o.Messages() {
			switch m.Role {
			case llm.User:
				task, done = m.Text, 0
			case llm.ToolReply:
				done++
			}
		}
		words := strings.Fields(task)
		if done >= len(words) {
			return say("ok", text)
		}
		word, handed := strings.CutPrefix(words[done], "hand:")
		switch {
		case handed:
			c := hand("h", "it-admin", word)
			c.ID += words[done] + task[:1] + string(rune('0'+done))
			return calls(c)
		case word == "read":
			return calls(reads)
		case word == "write":
			return calls(writes)
		}
		return say("I do not know "+word, text)
	}}
}

// asked posts a text and says whether a person was asked, and about what.
func (s *server) asked(t *testing.T, session, agent, text string) (wire.ChatMessage, *wire.Approval) {
	t.Helper()
	m := message(t, session, agent, text)
	s.post(t, m)
	e := s.watch.until(t, "a question or the end", func(e wire.RunEvent) bool {
		return e.Root == m.RunID && (e.Event == wire.EventFinal || e.Event == wire.EventError || isApproval(wire.ApprovalPending)(e))
	})
	if e.Event != wire.EventApproval {
		return m, nil
	}
	a := data[wire.ApprovalData](t, e).Approval
	return m, &a
}

// allow lets a question through and waits for the end of its run.
func (s *server) allow(t *testing.T, a *wire.Approval) {
	t.Helper()
	s.parked(t)
	if err := s.Decide(gatetest.Answer(*a, wire.AllowOnce)); err != nil {
		t.Fatal(err)
	}
	if e := s.watch.end(t, a.RootRunID); e.Event != wire.EventFinal {
		t.Errorf("%s", e.Data)
	}
}

func wantTainted(t *testing.T, a *wire.Approval) {
	t.Helper()
	if a == nil {
		t.Fatal("nobody was asked")
	}
	if len(a.Taint) == 0 || a.Taint[0].Source != "shell" || a.Taint[0].ID == "" || !strings.Contains(a.WhyAsked, "outside") ||
		!strings.Contains(a.WhyAsked, a.Taint[0].ID) {
		t.Errorf("the question does not name the source: %q, %+v", a.WhyAsked, a.Taint)
	}
}

// TestTaint_asks: what an agent may do alone is asked once it has read content from outside.
func TestTaint_asks(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: obeys()})
	if _, a := s.asked(t, id(t), "it-admin", "write"); a != nil {
		t.Fatalf("a clean run asks: %s", a.WhyAsked)
	}
	if _, a := s.asked(t, id(t), "it-admin", "write read"); a != nil {
		t.Fatalf("what was read later taints what was done before: %s", a.WhyAsked)
	}
	_, a := s.asked(t, id(t), "it-admin", "read write")
	wantTainted(t, a)
	s.allow(t, a)
}

// TestTaint_travels goes down to a delegated run, up with its answer, and down again to the next.
func TestTaint_travels(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: obeys()})
	if _, a := s.asked(t, id(t), "dispatcher", "hand:write hand:write"); a != nil {
		t.Fatalf("a clean chain asks: %s", a.WhyAsked)
	}
	m, a := s.asked(t, id(t), "dispatcher", "hand:read hand:write")
	wantTainted(t, a)
	if a.RunID == m.RunID {
		t.Error("the root asks, not the delegated run")
	}
	s.allow(t, a)
}

// TestTaint_conversation: who reads the conversation reads what it holds, until it starts afresh.
func TestTaint_conversation(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: obeys()})
	session := id(t)
	if _, a := s.asked(t, session, "it-admin", "read"); a != nil {
		t.Fatal("reading asks")
	}
	for range 2 { // the second one reads the first only through this one
		_, a := s.asked(t, session, "it-admin", "write")
		wantTainted(t, a)
		s.allow(t, a)
	}
	if _, a := s.asked(t, session, "it-admin", "/new"); a != nil {
		t.Fatal("a command asks")
	}
	if _, a := s.asked(t, session, "it-admin", "write"); a != nil {
		t.Errorf("after a fresh start: %s", a.WhyAsked)
	}
}

// TestTaint_restart: a run that goes on in the next life of the process is as tainted as before, and so is what it
// delegates.
func TestTaint_restart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := open(dir, options{model: obeys()})
	if err != nil {
		t.Fatal(err)
	}
	m, a := s.asked(t, id(t), "dispatcher", "hand:read hand:write hand:write")
	wantTainted(t, a)
	s.parked(t)
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	s = startIn(t, dir, options{model: obeys()})
	s.parked(t)
	if err := s.Decide(gatetest.Answer(*a, wire.AllowOnce)); err != nil {
		t.Fatal(err)
	}
	next := data[wire.ApprovalData](t, s.watch.until(t, "the next question", func(e wire.RunEvent) bool {
		return e.Root == m.RunID && isApproval(wire.ApprovalPending)(e) && data[wire.ApprovalData](t, e).ID != a.ID
	}))
	wantTainted(t, &next.Approval)
	s.allow(t, &next.Approval)
}

// TestLevel_lowestOfTheChain: who may do more does not do it for one who may do less.
func TestLevel_lowestOfTheChain(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: obeys()})
	cfg := wire.Config{Version: 1, DefaultLevel: 3, Agents: map[string]wire.AgentConfig{"dispatcher": {Level: 1}}}
	if err := s.World.Config.Adopt(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	if _, a := s.asked(t, id(t), "it-admin", "write"); a != nil {
		t.Errorf("alone it asks: %s", a.WhyAsked)
	}
	_, a := s.asked(t, id(t), "dispatcher", "hand:write")
	if a == nil {
		t.Fatal("an agent of level 1 had it done by one of level 3")
	}
	s.allow(t, a)
}

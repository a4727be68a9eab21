package runtime_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/wire"
)

const reportHead = "[Report of sub-agents"

func spawn(id, agent, task string) llm.Call {
	return llm.Call{ID: id, Name: "subagent_spawn", Args: fmt.Sprintf(`{"agent":%q,"task":%q}`, agent, task)}
}

func check(id string, wait bool) llm.Call {
	return llm.Call{ID: id, Name: "subagent_check", Args: fmt.Sprintf(`{"wait":%v}`, wait)}
}

// isSub tells by its instructions whether a sub-agent is asked.
func isSub(o llm.Outgoing) bool {
	return strings.Contains(o.Messages()[0].Text, "You work as a sub-agent now")
}

// askedOf is the message or task at hand.
func askedOf(o llm.Outgoing) string {
	for _, m := range slices.Backward(o.Messages()) {
		if m.Role == llm.User {
			return m.Text
		}
	}
	return ""
}

// parts are what the models of these tests do: the run that is asked, its sub-agents, and the turn that hears of them.
type parts struct {
	first, sub, told func(o llm.Outgoing, text func(string)) (llm.Reply, error)
}

func (p parts) model() model {
	return model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		switch {
		case isSub(o):
			return p.sub(o, text)
		case strings.HasPrefix(askedOf(o), reportHead) && p.told != nil:
			return p.told(o, text)
		}
		return p.first(o, text)
	}}
}

// first makes calls, then says what came of the last of them.
func firstCalls(all ...llm.Call) func(llm.Outgoing, func(string)) (llm.Reply, error) {
	return func(o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if newest(o).Role == llm.ToolReply {
			return say("so far: "+newest(o).Text, text)
		}
		return calls(all...)
	}
}

func counts(tier string) func(llm.Outgoing, func(string)) (llm.Reply, error) {
	return func(o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if newest(o).Role == llm.ToolReply {
			return say("there are 41 of "+askedOf(o), text)
		}
		return calls(doit("a", tier, askedOf(o), ""))
	}
}

func passesOn(o llm.Outgoing, text func(string)) (llm.Reply, error) {
	return say("They report: "+strings.TrimPrefix(askedOf(o), reportHead), text)
}

// toldEnd waits for the end of the turn in which a conversation hears of sub-agents.
func (s *server) toldEnd(t testing.TB, session, first string) wire.RunEvent {
	t.Helper()
	return s.watch.until(t, "the report", func(e wire.RunEvent) bool {
		return e.Session == session && e.Root != first && (e.Event == wire.EventFinal || e.Event == wire.EventError)
	})
}

func (s *server) runOf(t testing.TB, id string) wire.Run {
	t.Helper()
	return call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: id})
}

// A sub-agent works in a conversation of its own while its parent answers, and the conversation hears of it by itself.
func TestSubagent_report(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: parts{firstCalls(spawn("1", "", "invoices")), counts("green"), passesOn}.model()})
	m, e := s.ask(t, "it-admin", "Count the invoices")
	if f := data[wire.FinalData](t, e); !strings.Contains(f.Text, "Begun. Its id is ") {
		t.Fatalf("%+v", f)
	}
	told := s.toldEnd(t, m.SessionID, m.RunID)
	if f := data[wire.FinalData](t, told); !strings.Contains(f.Text, "there are 41 of invoices") || len(f.Receipts) == 0 {
		t.Fatalf("%+v", f)
	}
	run := s.runOf(t, m.RunID)
	if len(run.Tree) != 1 || run.Tree[0].Sub == nil || run.Usage.Input+run.Usage.Output != 24 {
		t.Fatalf("%+v, %+v", run.Tree, run.Usage)
	}
	sub := run.Tree[0]
	if sub.Sub.State != wire.SubCompleted || sub.Sub.Told != told.Root || sub.ParentID != m.RunID {
		t.Errorf("%+v, %+v", sub, sub.Sub)
	}
	if sub.RootID != sub.ID || sub.SessionID == m.SessionID || sub.Agent != "it-admin" || sub.Tokens != 24 || sub.Level != 2 {
		t.Errorf("%+v", sub)
	}
	if own := s.runOf(t, sub.ID); own.Sub == nil || own.Sub.Root != m.RunID || len(own.Calls) != 1 || own.Level != 2 {
		t.Errorf("%+v", own)
	}
	turns := call[wire.Session](t, s, wire.MethodSessionGet, wire.SessionParams{SessionID: m.SessionID}).Turns
	if len(turns) != 2 || !turns[1].From.Report || turns[1].From.Email != owner.Email {
		t.Errorf("%+v", turns)
	}
	listed := call[wire.SessionsResult](t, s, wire.MethodSessionsList, wire.ListParams{}).Items
	if len(listed) != 2 || listed[0].Archived || listed[1].Archived {
		t.Errorf("%+v", listed)
	}
}

// The conversation of a sub-agent is archived an hour after its end.
func TestSubagent_archive(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64 // on the server's clock alone
	s := start(t, options{
		model: parts{firstCalls(spawn("1", "", "invoices")), counts("green"), passesOn}.model(),
		now:   func() time.Time { return time.Now().Add(time.Duration(passed.Load())) },
	})
	m, _ := s.ask(t, "it-admin", "Count the invoices")
	s.toldEnd(t, m.SessionID, m.RunID)
	sub := s.runOf(t, m.RunID).Tree[0].SessionID
	var at int64
	if err := s.DB.Read().QueryRowContext(t.Context(), "SELECT archived_at FROM sessions WHERE id = ?", sub).Scan(&at); err != nil {
		t.Fatal(err)
	}
	if left := time.Until(time.UnixMicro(at)); left < 58*time.Minute || left > time.Hour {
		t.Errorf("archived in %s", left)
	}
	passed.Store(int64(time.Hour))
	listed := call[wire.SessionsResult](t, s, wire.MethodSessionsList, wire.ListParams{Archived: true}).Items
	if len(listed) != 1 || listed[0].ID != sub || !listed[0].Archived {
		t.Errorf("%+v", listed)
	}
}

// A run that waits for its sub-agents has their results in its answer, and nothing is reported a second time.
func TestSubagent_wait(t *testing.T) {
	t.Parallel()
	p := parts{sub: counts("green"), first: func(o llm.Outgoing, text func(string)) (llm.Reply, error) {
		n := 0
		for _, m := range o.Messages() {
			if m.Role == llm.ToolReply {
				n++
			}
		}
		switch n {
		case 0:
			return calls(spawn("1", "", "invoices"), spawn("2", "", "letters"))
		case 2:
			return calls(check("3", true))
		}
		return say(newest(o).Text, text)
	}}
	s := start(t, options{limits: runtime.Limits{Main: 1, Background: 1}, model: p.model()})
	m, e := s.ask(t, "it-admin", "Count both")
	f := data[wire.FinalData](t, e)
	if !strings.Contains(f.Text, "41 of invoices") || !strings.Contains(f.Text, "41 of letters") {
		t.Fatalf("%s", f.Text)
	}
	run := s.runOf(t, m.RunID)
	if len(run.Tree) != 2 || run.Tree[0].Sub.Told != m.RunID || run.Tree[1].Sub.Told != m.RunID {
		t.Errorf("%+v", run.Tree)
	}
	if turns := call[wire.Session](t, s, wire.MethodSessionGet, wire.SessionParams{SessionID: m.SessionID}).Turns; len(turns) != 1 {
		t.Errorf("%d turns", len(turns))
	}
	log := call[wire.ReceiptsResult](t, s, wire.MethodRunReceipts, wire.RunParams{RunID: m.RunID})
	if !slices.ContainsFunc(log.Items, func(r wire.Receipt) bool { return r.RunID == run.Tree[0].ID }) {
		t.Error("the receipts of a sub-agent do not stand for the run that was told")
	}
}

// A sub-agent hands nothing on and begins no others: it is not offered, and refused where it is tried all the same.
func TestSubagent_handsNothingOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]llm.Call{
		"spawns": spawn("x", "", "more"), "hands over": hand("x", "secretary", "more"), "waits": check("x", true),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := parts{firstCalls(spawn("1", "", "invoices")), func(o llm.Outgoing, text func(string)) (llm.Reply, error) {
				for _, d := range o.Tools() {
					if strings.HasPrefix(d.Name, "subagent") || d.Name == "agent_dispatch" {
						return say("I am offered "+d.Name, text)
					}
				}
				if newest(o).Role == llm.ToolReply {
					return say("it says "+newest(o).Text, text)
				}
				return calls(c)
			}, passesOn}
			s := start(t, options{model: p.model()})
			m, _ := s.ask(t, "it-admin", "Count")
			f := data[wire.FinalData](t, s.toldEnd(t, m.SessionID, m.RunID))
			if strings.Contains(f.Text, "I am offered") || !strings.Contains(f.Text, "it says [") {
				t.Errorf("%s", f.Text)
			}
			if n := s.countSubs(t); n != 1 {
				t.Errorf("%d sub-agents", n)
			}
		})
	}
}

func (s *server) countSubs(t testing.TB) (n int) {
	t.Helper()
	if err := s.DB.Read().QueryRowContext(context.WithoutCancel(t.Context()), "SELECT count(*) FROM subagents").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Behind a sub-agent stands what its parent has read, and behind the turn that hears of it what the sub-agent has read.
func TestSubagent_taint(t *testing.T) {
	t.Parallel()
	reads := doit("r", "green", "mail", "outside")
	t.Run("down", func(t *testing.T) {
		t.Parallel()
		p := parts{sub: counts("yellow"), told: passesOn, first: func(o llm.Outgoing, text func(string)) (llm.Reply, error) {
			switch {
			case newest(o).Role != llm.ToolReply:
				return calls(reads)
			case strings.Contains(newest(o).Text, "Begun"):
				return say("begun", text)
			}
			return calls(spawn("1", "", "invoices"))
		}}
		s := start(t, options{model: p.model()})
		s.atLevel3(t)
		s.ask(t, "it-admin", "Count")
		a := data[wire.ApprovalData](t, s.watch.until(t, "the question", isApproval(wire.ApprovalPending)))
		if len(a.Taint) == 0 {
			t.Errorf("%+v", a)
		}
	})
	t.Run("up", func(t *testing.T) {
		t.Parallel()
		p := parts{firstCalls(spawn("1", "", "invoices")), func(o llm.Outgoing, text func(string)) (llm.Reply, error) {
			if newest(o).Role == llm.ToolReply {
				return say("41", text)
			}
			return calls(reads)
		}, func(o llm.Outgoing, text func(string)) (llm.Reply, error) {
			if newest(o).Role == llm.ToolReply {
				return say("done", text)
			}
			return calls(doit("w", "yellow", "x", ""))
		}}
		s := start(t, options{model: p.model()})
		s.atLevel3(t)
		s.ask(t, "it-admin", "Count")
		a := data[wire.ApprovalData](t, s.watch.until(t, "the question", isApproval(wire.ApprovalPending)))
		if len(a.Taint) == 0 || len(a.Tool) == 0 {
			t.Errorf("%+v", a)
		}
	})
}

// A sub-agent stands no higher than any that stood behind the call that began it, as the owner has it set now.
func TestSubagent_level(t *testing.T) {
	t.Parallel()
	p := parts{first: func(o llm.Outgoing, text func(string)) (llm.Reply, error) {
		switch {
		case newest(o).Role == llm.ToolReply:
			return say("passed on", text)
		case askedOf(o) == "Have it counted":
			return calls(hand("h", "it-admin", "count"))
		}
		return calls(spawn("1", "", "invoices"))
	}, sub: counts("yellow"), told: passesOn}
	s := start(t, options{model: p.model()})
	cfg := wire.Config{Version: 1, DefaultLevel: 3, TimeZone: "UTC", Agents: map[string]wire.AgentConfig{"dispatcher": {Level: 1}}}
	if err := s.World.Config.Adopt(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	m, _ := s.ask(t, "dispatcher", "Have it counted")
	a := data[wire.ApprovalData](t, s.watch.until(t, "the question", isApproval(wire.ApprovalPending)))
	run := s.runOf(t, m.RunID)
	if len(run.Tree) != 2 || run.Tree[1].Level != 1 || run.Tree[1].ParentID != run.Tree[0].ID || a.RunID != run.Tree[1].ID {
		t.Errorf("%+v", run.Tree)
	}
	if err := s.Decide(gatetest.Answer(a.Approval, wire.AllowOnce)); err != nil {
		t.Fatal(err)
	}
	if f := data[wire.FinalData](t, s.toldEnd(t, m.SessionID, m.RunID)); f.Agent != "dispatcher" ||
		!strings.Contains(f.Text, "41 of invoices") {
		t.Errorf("%+v", f)
	}
}

// While a sub-agent waits for a person, whoever waits for it goes on, and the report comes when it has ended.
func TestSubagent_parked(t *testing.T) {
	t.Parallel()
	p := parts{sub: counts("red"), told: passesOn, first: func(o llm.Outgoing, text func(string)) (llm.Reply, error) {
		switch {
		case newest(o).Role != llm.ToolReply:
			return calls(spawn("1", "", "invoices"))
		case strings.Contains(newest(o).Text, "Begun"):
			return calls(check("2", true))
		}
		return say(newest(o).Text, text)
	}}
	s := start(t, options{model: p.model()})
	m, e := s.ask(t, "it-admin", "Count")
	if f := data[wire.FinalData](t, e); !strings.Contains(f.Text, "waits for a person") {
		t.Fatalf("%+v", f)
	}
	a := data[wire.ApprovalData](t, s.watch.until(t, "the question", isApproval(wire.ApprovalPending)))
	if err := s.Decide(gatetest.Answer(a.Approval, wire.AllowOnce)); err != nil {
		t.Fatal(err)
	}
	if f := data[wire.FinalData](t, s.toldEnd(t, m.SessionID, m.RunID)); !strings.Contains(f.Text, "41 of invoices") {
		t.Errorf("%+v", f)
	}
}

// There are only so many at once, and an agent can stop one of its own.
func TestSubagent_most(t *testing.T) {
	t.Parallel()
	p := parts{sub: speaksOn, told: passesOn, first: func(o llm.Outgoing, text func(string)) (llm.Reply, error) {
		var all []string
		for _, m := range o.Messages() {
			if m.Role == llm.ToolReply {
				all = append(all, m.Text)
			}
		}
		if len(all) == 0 {
			return calls(spawn("1", "", "a"), spawn("2", "", "b"), spawn("3", "", "c"))
		}
		return say(strings.Join(all, "\n"), text)
	}}
	s := start(t, options{limits: runtime.Limits{Spawned: 2}, model: withContext(p, speaksUntilEnd)})
	m, e := s.ask(t, "it-admin", "Go")
	if f := data[wire.FinalData](t, e); strings.Count(f.Text, "Begun") != 2 ||
		!strings.Contains(f.Text, "2 sub-agents are at work already") {
		t.Fatalf("%s", f.Text)
	}
	if n := s.countSubs(t); n != 2 {
		t.Errorf("%d sub-agents", n)
	}
	s.cancel(t, wire.RunCancel{RunID: m.RunID, By: owner})
	s.subsAre(t, m.RunID, wire.SubStopped, wire.SubStopped)
}

func speaksOn(llm.Outgoing, func(string)) (llm.Reply, error) { return llm.Reply{}, nil }

// withContext has sub-agents do something that only ends when they are stopped.
func withContext(p parts, sub func(ctx context.Context, text func(string)) (llm.Reply, error)) model {
	return model{func(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if isSub(o) {
			return sub(ctx, text)
		}
		return p.model().answer(ctx, o, text)
	}}
}

func speaksUntilEnd(ctx context.Context, text func(string)) (llm.Reply, error) {
	text("hm ")
	<-ctx.Done()
	return llm.Reply{}, ctx.Err()
}

func (s *server) cancel(t testing.TB, c wire.RunCancel) wire.ChatAck {
	t.Helper()
	return call[wire.ChatAck](t, s, wire.MethodRunCancel, c)
}

// subsAre waits until the sub-agents of a root run have ended like this.
func (s *server) subsAre(t testing.TB, root string, want ...wire.SubState) wire.Run {
	t.Helper()
	for limit := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
		run := s.runOf(t, root)
		var got []wire.SubState
		for _, i := range run.Tree {
			if i.Sub != nil {
				got = append(got, i.Sub.State)
			}
		}
		if slices.Equal(got, want) {
			return run
		}
		if time.Now().After(limit) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

// One sub-agent is stopped alone; the other one goes on, and the report names both.
func TestSubagent_stopOne(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	p := parts{first: firstCalls(spawn("1", "", "a"), spawn("2", "", "b")), told: passesOn}
	s := start(t, options{model: withContext(p, func(ctx context.Context, text func(string)) (llm.Reply, error) {
		select {
		case <-release:
			return say("ready", text)
		case <-ctx.Done():
			return llm.Reply{}, ctx.Err()
		}
	})})
	m, _ := s.ask(t, "it-admin", "Go")
	first := s.runOf(t, m.RunID).Tree[0].ID
	if ack := s.cancel(t, wire.RunCancel{RunID: first, By: owner, Alone: true}); ack.State != wire.RunStopped {
		t.Errorf("%+v", ack)
	}
	close(release)
	s.subsAre(t, m.RunID, wire.SubStopped, wire.SubCompleted)
	f := data[wire.FinalData](t, s.toldEnd(t, m.SessionID, m.RunID))
	if !strings.Contains(f.Text, "stopped") || !strings.Contains(f.Text, "ready") {
		t.Errorf("%s", f.Text)
	}
}

// /stop takes the sub-agents of the conversation along, even after the run that began them has ended. Nobody is told of what a
// person stopped.
func TestSubagent_stopCommand(t *testing.T) {
	t.Parallel()
	p := parts{first: firstCalls(spawn("1", "", "a")), told: passesOn}
	s := start(t, options{model: withContext(p, speaksUntilEnd)})
	m, _ := s.ask(t, "it-admin", "Go")
	stop := message(t, m.SessionID, "it-admin", "/stop")
	s.post(t, stop)
	if f := data[wire.FinalData](t, s.watch.end(t, stop.RunID)); !strings.Contains(f.Text, "Stopped 1 run") {
		t.Errorf("%+v", f)
	}
	run := s.subsAre(t, m.RunID, wire.SubStopped)
	if run.Tree[0].Sub.Told != "" {
		t.Errorf("%+v", run.Tree[0].Sub)
	}
}

// A delegated run is stopped alone: the one that delegated reads of it and goes on.
func TestCancel_alone(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: model{func(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		switch {
		case askedOf(o) == "look":
			text("hm ")
			<-ctx.Done()
			return llm.Reply{}, ctx.Err()
		case newest(o).Role == llm.ToolReply:
			return say("It says: "+newest(o).Text, text)
		}
		return calls(hand("h", "it-admin", "look"))
	}}})
	m := message(t, id(t), "dispatcher", "Go")
	s.post(t, m)
	s.watch.deltas(t, 1)
	child := s.runOf(t, m.RunID).Tree[0].ID
	if ack := s.cancel(t, wire.RunCancel{RunID: child, By: owner, Alone: true}); ack.State != wire.RunStopped {
		t.Errorf("%+v", ack)
	}
	if f := data[wire.FinalData](t, s.watch.end(t, m.RunID)); !strings.Contains(f.Text, "Stopped by owner@example.com") {
		t.Errorf("%+v", f)
	}
}

// A sub-agent that takes too long is ended, and says so.
func TestSubagent_timedOut(t *testing.T) {
	t.Parallel()
	p := parts{first: firstCalls(spawn("1", "", "a")), told: passesOn}
	s := start(t, options{limits: runtime.Limits{SubWall: 50 * time.Millisecond}, model: withContext(p, speaksUntilEnd)})
	m, _ := s.ask(t, "it-admin", "Go")
	s.subsAre(t, m.RunID, wire.SubTimedOut)
	if f := data[wire.FinalData](t, s.toldEnd(t, m.SessionID, m.RunID)); !strings.Contains(f.Text, "timed_out") {
		t.Errorf("%s", f.Text)
	}
}

// What a model gives a sub-agent to do is never taken for a command of a person.
func TestSubagent_noCommand(t *testing.T) {
	t.Parallel()
	for _, task := range []string{"/stop", "/new", "/restore 01900000-0000-7000-8000-00000000000a"} {
		p := parts{firstCalls(spawn("1", "", task)), func(o llm.Outgoing, text func(string)) (llm.Reply, error) {
			return say("a model reads "+askedOf(o), text)
		}, passesOn}
		s := start(t, options{model: p.model()})
		m, _ := s.ask(t, "it-admin", "Go")
		if f := data[wire.FinalData](t, s.toldEnd(t, m.SessionID, m.RunID)); !strings.Contains(f.Text, "a model reads "+task) {
			t.Errorf("%s: %s", task, f.Text)
		}
	}
}

// The dispatcher has sub-agents of its colleagues only, and nobody has those of an agent that is switched off.
func TestSubagent_refusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ from, agent, want string }{
		"front desk as itself": {"dispatcher", "", "Name the colleague"},
		"nobody":               {"dispatcher", "nobody", "no colleague"},
		"switched off":         {"dispatcher", "secretary", "switched off"},
	} {
		s := start(t, options{model: parts{first: firstCalls(spawn("1", c.agent, "x"))}.model()})
		cfg := wire.Config{Version: 1, DefaultLevel: 2, TimeZone: "UTC", Agents: map[string]wire.AgentConfig{"secretary": {Off: true}}}
		if err := s.World.Config.Adopt(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
		_, e := s.ask(t, c.from, "Go")
		if f := data[wire.FinalData](t, e); !strings.Contains(f.Text, c.want) || s.countSubs(t) != 0 {
			t.Errorf("%s: %s", name, f.Text)
		}
	}
}

package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/wire"
)

// ears is a model that keeps what it was shown and calls everything that it is told, whatever it sees.
type ears struct {
	mu   sync.Mutex
	last []llm.Message
	many int // tools that it was shown in all
}

func (h *ears) model() model {
	obeys := obedient()
	return model{func(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		h.mu.Lock()
		h.last, h.many = o.Messages(), h.many+len(o.Tools())
		h.mu.Unlock()
		return obeys.answer(ctx, o, text)
	}}
}

// all is everything that the model was shown last.
func (h *ears) all() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var b strings.Builder
	for _, m := range h.last {
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}

// fromStranger is a message of somebody whom nobody has confirmed, in a conversation.
func fromStranger(t *testing.T, session, address, text string) runtime.Scheduled {
	t.Helper()
	m := message(t, session, "dispatcher", text)
	m.From = wire.Origin{Channel: wire.ChannelTelegram, Address: address}
	return runtime.Scheduled{
		ChatMessage: m, Level: 3, Messaging: true, Taint: []policy.Source{{Source: "telegram from " + address, ID: m.RunID}},
	}
}

// withOwnSets starts a server whose gate asks the team, as that of a daemon does, and lets everything that a person may unlock.
func withOwnSets(t *testing.T, h *ears) *server {
	t.Helper()
	own := sees{}
	s := start(t, options{model: h.model(), with: func(d *gate.Deps) { d.Sets = &own }})
	own.team = &s.team
	s.atLevel3(t)
	return s
}

// TestStranger_obeyed: a model does whatever a stranger says, and asks for every tool that the server has, by every name there is. It was
// shown none of them, the gate refuses each call before it asks anybody, and nothing is done.
func TestStranger_obeyed(t *testing.T) {
	t.Parallel()
	var h ears
	s := withOwnSets(t, &h)
	for _, d := range s.Gate.Definitions() {
		args := map[string]any{"tier": "green", "key": d.Name}
		if d.Name != "shell" {
			args = map[string]any{"target": "it-admin", "task": "look", "agent": "it-admin"}
		}
		m := fromStranger(t, id(t), "8000000009", "Do it. "+orders(do(d.Name, args)))
		s.schedule(t, m)
		e := s.watch.end(t, m.RunID)
		run := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID})
		if e.Event != wire.EventFinal || len(run.Calls) != 1 || run.Calls[0].State != wire.ToolDenied {
			t.Errorf("%s: %s %+v", d.Name, e.Data, run.Calls)
		}
		open, err := s.Pending(m.RunID)
		if err != nil || len(open) != 0 {
			t.Errorf("%s: a person is asked: %+v, %v", d.Name, open, err)
		}
	}
	if done, err := s.ledger.Effects(); err != nil || len(done) != 0 || h.many != 0 {
		t.Errorf("effects %v, %v; %d tools were shown", done, err, h.many)
	}
}

// TestStranger_known: the same message of somebody whom the owner has let write is worked on with the agent's tools.
func TestStranger_known(t *testing.T) {
	t.Parallel()
	var h ears
	s := withOwnSets(t, &h)
	m := fromStranger(t, id(t), "8000000009", "Do it. "+orders(do("shell", map[string]any{"tier": "green", "key": "x"})))
	m.Agent, m.From.Known = "it-admin", true
	s.schedule(t, m)
	s.watch.end(t, m.RunID)
	if done, err := s.ledger.Effects(); err != nil || len(done) != 1 || h.many == 0 {
		t.Errorf("effects %v, %v; %d tools were shown", done, err, h.many)
	}
}

// TestStranger_claims: nobody but agentd says who is known: a message of the link that says so is no different from any other.
func TestStranger_claims(t *testing.T) {
	t.Parallel()
	var h ears
	s := withOwnSets(t, &h)
	m := message(t, id(t), "it-admin", "Do it. "+orders(do("shell", map[string]any{"tier": "green", "key": "x"})))
	m.From = wire.Origin{Channel: wire.ChannelTelegram, Address: "8000000009", Known: true, Owner: true}
	s.post(t, m)
	s.watch.end(t, m.RunID)
	if done, err := s.ledger.Effects(); err != nil || len(done) != 0 {
		t.Errorf("effects %v, %v", done, err)
	}
}

// TestStranger_seesNothing: what a model is shown for a stranger holds nothing of memory, of colleagues, of the agent's notes on its tools,
// and of what others said in the same conversation, as the owner on its page.
func TestStranger_seesNothing(t *testing.T) {
	t.Parallel()
	const planted = "The spare lamp hangs in the barn."
	var h ears
	s := withOwnSets(t, &h)
	deps := s.deps
	deps.Remind = func(context.Context, string, string) (string, []wire.MemoryUse, error) { return planted, nil, nil }
	rt, err := runtime.New(deps)
	if err != nil {
		t.Fatal(err)
	}
	s.rt = rt
	if err := rt.Start(t.Context(), s.Gate); err != nil {
		t.Fatal(err)
	}
	session := id(t)
	first := fromStranger(t, session, "8000000009", "What do you sell?")
	s.schedule(t, first)
	s.watch.end(t, first.RunID)
	own := message(t, session, "dispatcher", "For me alone: our margin is 42 percent")
	s.post(t, own)
	s.watch.end(t, own.RunID)
	if all := h.all(); !strings.Contains(all, planted) || !strings.Contains(all, "What do you sell?") || !strings.Contains(all, "it-admin (") {
		t.Errorf("the owner's run sees too little: %s", all)
	}
	other := fromStranger(t, session, "8000000010", "I am somebody else")
	s.schedule(t, other)
	s.watch.end(t, other.RunID)
	next := fromStranger(t, session, "8000000009", "And what did you just say?")
	s.schedule(t, next)
	s.watch.end(t, next.RunID)
	all := h.all()
	for _, never := range []string{planted, "42 percent", "somebody else", "it-admin (", "memory_search"} {
		if strings.Contains(all, never) {
			t.Errorf("the model sees %q: %s", never, all)
		}
	}
	if !strings.Contains(all, "What do you sell?") {
		t.Errorf("the stranger's own words are gone: %s", all)
	}
}

// TestStranger_cost: what one message of a stranger may cost is bounded, whatever the model does.
func TestStranger_cost(t *testing.T) {
	t.Parallel()
	n := 0
	s := start(t, options{model: model{func(context.Context, llm.Outgoing, func(string)) (llm.Reply, error) {
		n++
		raw, err := json.Marshal(map[string]any{"tier": "green", "key": fmt.Sprint(n)})
		return llm.Reply{Calls: []llm.Call{{ID: fmt.Sprint(n), Name: "shell", Args: string(raw)}}, Usage: llm.Usage{Input: 25_000}}, err
	}}})
	m := fromStranger(t, id(t), "8000000009", "Go on and on")
	s.schedule(t, m)
	e := s.watch.end(t, m.RunID)
	if e.Event != wire.EventError || n != 3 {
		t.Errorf("%s after %d steps", e.Data, n)
	}
}

// TestEraseSession: a conversation of a stranger is deleted when nothing of it goes on, and with it what the gate knows of who they were.
func TestEraseSession(t *testing.T) {
	t.Parallel()
	var h ears
	s := withOwnSets(t, &h)
	session := id(t)
	m := fromStranger(t, session, "8000000009", "My code is tulip. "+orders(do("shell", map[string]any{"tier": "green", "key": "tulip"})))
	s.schedule(t, m)
	s.watch.end(t, m.RunID)
	late := fromStranger(t, id(t), "8000000009", "Wait "+orders(do("shell", map[string]any{"tier": "green", "key": "x"})))
	for name, want := range map[string]bool{session: true, id(t): true} {
		if done, err := s.rt.EraseSession(t.Context(), name); err != nil || done != want {
			t.Errorf("%v, %v", done, err)
		}
	}
	if done, err := s.rt.EraseSession(t.Context(), session); err != nil || !done {
		t.Errorf("a repeat: %v, %v", done, err)
	}
	for table, column := range map[string]string{
		"gate_calls": "body", "runs": "text", "run_calls": "args", "run_entries": "text", "run_taint": "source", "sessions": "title",
	} {
		var n int
		const left = "SELECT count(*) FROM %s WHERE instr(%s, 'tulip') > 0 OR instr(%[2]s, '8000000009') > 0"
		if err := s.DB.Read().QueryRowContext(t.Context(), fmt.Sprintf(left, table, column)).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s holds it %d times, %v", table, n, err)
		}
	}
	late.SessionID = session
	err := s.DB.Write(t.Context(), applying(func(tx tx) error { return s.rt.AcceptScheduled(tx, late) }))
	if err == nil {
		t.Error("a message began a run in a conversation that was deleted")
	}
}

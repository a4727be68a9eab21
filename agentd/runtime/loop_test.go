package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/wire"
)

func TestRun_answer(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: says("Good morning.")})
	m, e := s.ask(t, "it-admin", "Hello")
	f := data[wire.FinalData](t, e)
	if e.Event != wire.EventFinal || f.Text != "Good morning." || f.Verdict != wire.VerdictNothingRan ||
		f.Usage != (wire.Usage{Input: 10, Output: 2, Model: "test-model"}) || f.N != e.N {
		t.Fatalf("%+v", f)
	}
	for i, e := range s.watch.events() {
		if e.N != int64(i+1) || e.Root != m.RunID || e.Session != m.SessionID {
			t.Errorf("event %d: %+v", i, e)
		}
	}
	run := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID})
	if run.State != wire.RunDone || run.Final == nil || run.Final.Text != "Good morning." {
		t.Errorf("%+v", run)
	}
	if len(run.Steps) != 1 || run.EndedAt.IsZero() || run.Channel != "portal" {
		t.Errorf("%+v", run)
	}
}

func TestRun_toolWithReceipts(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: once(doit("a", "green", "x", ""))})
	m, e := s.ask(t, "it-admin", "Do it")
	f := data[wire.FinalData](t, e)
	if f.Text != "The tool said: did x" || len(f.Receipts) < 4 {
		t.Fatalf("%+v", f)
	}
	inStream := map[int64]bool{}
	var states []wire.ToolState
	for _, e := range s.watch.events() {
		switch e.Event {
		case wire.EventReceipt:
			inStream[data[wire.ReceiptData](t, e).Seq] = true
		case wire.EventTool:
			states = append(states, data[wire.ToolData](t, e).State)
		}
	}
	for _, seq := range f.Receipts {
		if !inStream[seq] {
			t.Errorf("receipt %d is not in the stream", seq)
		}
	}
	if fmt.Sprint(states) != "[requested running done]" {
		t.Errorf("chip went through %v", states)
	}
	run := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID})
	if len(run.Calls) != 1 || run.Worst != "green" || run.RunInfo.Calls != 1 {
		t.Fatalf("%+v", run.Calls)
	}
	if c := run.Calls[0]; c.State != wire.ToolDone || c.Result != "did x" || c.Tier != "green" {
		t.Errorf("%+v", run.Calls)
	}
	rc := call[wire.ReceiptsResult](t, s, wire.MethodRunReceipts, wire.RunParams{RunID: m.RunID})
	if !rc.Verified || len(rc.Items) != len(f.Receipts) {
		t.Errorf("%+v", rc)
	}
}

// Harmless calls of one step run side by side, all others one after the other, in the order of the model.
func TestRun_sideBySide(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int32
	var mu sync.Mutex
	var order []string
	both := make(chan struct{})
	began := func(ctx context.Context, _ gate.Permit, args json.RawMessage) {
		if now.Add(1) == 2 {
			close(both)
		}
		most.Store(max(most.Load(), now.Load()))
		mu.Lock()
		order = append(order, string(args))
		mu.Unlock()
		if strings.Contains(string(args), "green") {
			select { // both green ones must be here at once
			case <-both:
			case <-ctx.Done():
			}
		}
		now.Add(-1)
	}
	s := start(t, options{began: began, model: once(
		doit("a", "green", "1", ""), doit("b", "green", "2", ""), doit("c", "yellow", "3", ""), doit("d", "yellow", "4", ""))})
	_, e := s.ask(t, "it-admin", "Do it")
	if e.Event != wire.EventFinal || most.Load() != 2 {
		t.Fatalf("at most %d at once; %s", most.Load(), e.Data)
	}
	if len(order) != 4 || !strings.Contains(order[2], `"3"`) || !strings.Contains(order[3], `"4"`) {
		t.Errorf("order %v", order)
	}
}

func TestRun_malformedAndUnknownCallsAreValues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		call llm.Call
		want string
	}{
		"malformed JSON":    {llm.Call{ID: "a", Name: "shell", Args: `{"tier": gre`}, "do not fit"},
		"arguments missing": {llm.Call{ID: "a", Name: "shell", Args: `{"tier":"green"}`}, "do not fit"},
		"unknown field":     {llm.Call{ID: "a", Name: "shell", Args: `{"tier":"green","key":"x","sudo":true}`}, "do not fit"},
		"no such tool":      {llm.Call{ID: "a", Name: "teleport", Args: `{}`}, "no tool named"},
		"no name":           {llm.Call{ID: "a", Name: "", Args: `{}`}, "no tool named"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, options{model: once(c.call)})
			m, e := s.ask(t, "it-admin", "Do it")
			if e.Event != wire.EventFinal || !strings.Contains(data[wire.FinalData](t, e).Text, c.want) {
				t.Fatalf("%s", e.Data)
			}
			if all, err := s.ledger.Effects(); err != nil || len(all) != 0 {
				t.Errorf("it had effects: %v, %v", all, err)
			}
			if run := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID}); run.Calls[0].State != wire.ToolDenied {
				t.Errorf("%+v", run.Calls)
			}
		})
	}
}

// A model that names the same call twice in one answer gets it once.
func TestRun_sameCallTwice(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: once(doit("a", "green", "x", ""), doit("a", "green", "x", ""))})
	s.ask(t, "it-admin", "Do it")
	if all, err := s.ledger.Effects(); err != nil || len(all) != 1 {
		t.Errorf("effects %v, %v", all, err)
	}
}

func TestRun_modelFailures(t *testing.T) {
	t.Parallel()
	for kind, want := range map[llm.Kind]string{
		llm.Auth: "did not accept the key", llm.Rate: "takes no more requests", llm.Context: "/new", llm.Rejected: "MODEL_NAME",
		llm.BadResponse: "not an answer", llm.Unavailable: "cannot be reached", llm.Timeout: "in time",
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			s := start(t, options{model: model{func(_ context.Context, _ llm.Outgoing, text func(string)) (llm.Reply, error) {
				text("I was about")
				return llm.Reply{}, &llm.Error{Kind: kind, Detail: "for a test"}
			}}})
			m, e := s.ask(t, "it-admin", "Hello")
			d := data[wire.ErrorData](t, e)
			if e.Event != wire.EventError || d.Type != "model" || d.Text != "I was about" || d.Status == 0 {
				t.Fatalf("%+v", d)
			}
			if !strings.Contains(d.Detail, want) || !strings.Contains(d.Detail, "Your message is kept") {
				t.Fatalf("%+v", d)
			}
			if run := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID}); run.State != wire.RunFailed || run.Error == nil {
				t.Errorf("%+v", run)
			}
		})
	}
}

func TestRun_limits(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	different := func(ctx context.Context, _ llm.Outgoing, _ func(string)) (llm.Reply, error) {
		return calls(doit("a", "green", fmt.Sprint(n.Add(1)), ""))
	}
	for name, c := range map[string]struct {
		model  model
		limits runtime.Limits
		want   string
	}{
		"steps":  {model{different}, runtime.Limits{Steps: 3}, "3 steps"},
		"calls":  {model{different}, runtime.Limits{Calls: 2}, "more than 2 tool calls"},
		"tokens": {model{different}, runtime.Limits{Tokens: 30}, "30 is the most"},
		"wall": {model{func(ctx context.Context, _ llm.Outgoing, _ func(string)) (llm.Reply, error) {
			<-ctx.Done()
			return llm.Reply{}, ctx.Err()
		}}, runtime.Limits{Wall: 50 * time.Millisecond}, "at work for 50ms"},
		"loop": {model{func(context.Context, llm.Outgoing, func(string)) (llm.Reply, error) {
			return calls(doit("a", "green", "x", ""))
		}}, runtime.Limits{}, "again and again"},
		"ping-pong": {model{func(_ context.Context, o llm.Outgoing, _ func(string)) (llm.Reply, error) {
			return calls(doit("a", "green", fmt.Sprint(len(o.Messages())/2%2), ""))
		}}, runtime.Limits{}, "again and again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, options{model: c.model, limits: c.limits})
			m, e := s.ask(t, "it-admin", "Go")
			if d := data[wire.ErrorData](t, e); d.Type != "limit" || !strings.Contains(d.Detail, c.want) {
				t.Fatalf("%s", e.Data)
			}
			s.stoppedAt(t, m.RunID, m.RunID, c.want)
		})
		if name == "wall" {
			continue // whoever hands a task on runs out of time before the one who does it
		}
		t.Run(name+" of a delegated run", func(t *testing.T) {
			t.Parallel()
			s := start(t, options{model: handing(c.model), limits: c.limits})
			m, _ := s.ask(t, "dispatcher", "Go")
			run := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID})
			if len(run.Tree) != 1 || run.Tree[0].State != wire.RunFailed {
				t.Fatalf("%+v", run.Tree)
			}
			s.stoppedAt(t, m.RunID, run.Tree[0].ID, c.want)
		})
	}
}

// handing is a dispatcher that hands its task on, once, and a colleague that is m.
func handing(m model) model {
	return model{func(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		switch {
		case !isDispatcher(o):
			return m.answer(ctx, o, text)
		case newest(o).Role == llm.ToolReply:
			return say("It could not.", text)
		}
		return calls(hand("h", "it-admin", "look"))
	}}
}

// stoppedAt fails unless the receipts of a tree say, once, that this run of it was stopped at this limit.
func (s *server) stoppedAt(t *testing.T, root, run, limit string) {
	t.Helper()
	rc := call[wire.ReceiptsResult](t, s, wire.MethodRunReceipts, wire.RunParams{RunID: root})
	n := 0
	for _, r := range rc.Items {
		if r.Type == "run.stopped" && r.RunID == run && strings.Contains(string(r.Body), limit) {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d receipts of %q: %+v", n, limit, rc.Items)
	}
}

// Before a loop is stopped, the model is told.
func TestRun_loopWarning(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if strings.Contains(newest(o).Text, "[Runtime: this is call 3") {
			return say("I give up.", text)
		}
		return calls(doit("a", "green", "x", ""))
	}}})
	if _, e := s.ask(t, "it-admin", "Go"); e.Event != wire.EventFinal {
		t.Fatalf("%s", e.Data)
	}
}

func TestRun_unknownAgent(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: says("x")})
	_, e := s.ask(t, "nobody", "Hello")
	if d := data[wire.ErrorData](t, e); d.Type != "refused" || !strings.Contains(d.Detail, "nobody") {
		t.Fatalf("%s", e.Data)
	}
}

func TestRun_panicOfProvider(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: model{func(context.Context, llm.Outgoing, func(string)) (llm.Reply, error) { panic("on purpose") }}})
	_, e := s.ask(t, "it-admin", "Hello")
	if d := data[wire.ErrorData](t, e); d.Type != "internal" || strings.Contains(d.Detail, "on purpose") {
		t.Fatalf("%s", e.Data)
	}
}

// What is streamed is what is kept: the pieces of a step joined give its text, and a reader that asks again gets the
// same events with the same numbers.
func TestEvents_resume(t *testing.T) {
	t.Parallel()
	words := strings.Fields(strings.Repeat("one two three four five ", 40))
	var s *server
	s = start(t, options{model: model{func(_ context.Context, _ llm.Outgoing, text func(string)) (llm.Reply, error) {
		for i, w := range words {
			text(w + " ")
			if i%20 == 0 {
				s.watch.deltas(t, i/20+1) // a model that is not faster than its readers
			}
		}
		return llm.Reply{Text: strings.Join(words, " ") + " "}, nil
	}}})
	m, e := s.ask(t, "it-admin", "Talk")
	all := call[wire.EventsResult](t, s, wire.MethodRunEvents, wire.EventsParams{RunID: m.RunID})
	live := s.watch.events()
	if len(all.Items) != len(live) || all.Last != e.N || all.State != wire.RunDone {
		t.Fatalf("kept %d events up to %d, shown %d up to %d", len(all.Items), all.Last, len(live), e.N)
	}
	joined, pieces := "", 0
	for i, k := range all.Items {
		if k.N != live[i].N || k.Event != live[i].Event || string(k.Data) != string(live[i].Data) || k.Session != m.SessionID {
			t.Fatalf("event %d: kept %+v, shown %+v", i, k, live[i])
		}
		if k.Event == wire.EventDelta {
			joined += data[wire.DeltaData](t, k).Text
			pieces++
		}
	}
	if joined != strings.Join(words, " ")+" " || pieces >= len(words)/2 {
		t.Errorf("%d pieces: %q", pieces, joined)
	}
	rest := call[wire.EventsResult](t, s, wire.MethodRunEvents, wire.EventsParams{RunID: m.RunID, From: 3})
	if len(rest.Items) != len(all.Items)-3 || rest.Items[0].N != 4 {
		t.Errorf("from 3: %d of %d", len(rest.Items), len(all.Items))
	}
	none := call[wire.EventsResult](t, s, wire.MethodRunEvents, wire.EventsParams{RunID: m.RunID, From: e.N})
	if len(none.Items) != 0 || none.Last != e.N {
		t.Errorf("from the end: %+v", none)
	}
}

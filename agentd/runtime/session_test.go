package runtime_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/wire"
)

type tx = *sql.Tx

func applying(fn func(tx) error) func(*sql.Tx) error { return fn }

// Two messages of one conversation are answered one after the other, and the second knows the first.
func TestSession_serial(t *testing.T) {
	t.Parallel()
	var now atomic.Int32
	s := start(t, options{model: model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		defer now.Add(-1)
		if now.Add(1) > 1 {
			t.Error("two runs of one conversation at once")
		}
		var asked []string
		for _, m := range o.Messages() {
			if m.Role == llm.User {
				asked = append(asked, m.Text)
			}
		}
		return say(strings.Join(asked, "+"), text)
	}}})
	session := id(t)
	var all []wire.ChatMessage
	for i := range 5 {
		m := message(t, session, "it-admin", fmt.Sprint(i))
		s.post(t, m)
		all = append(all, m)
	}
	want := ""
	for i, m := range all {
		want = strings.TrimPrefix(want+"+"+fmt.Sprint(i), "+")
		if f := data[wire.FinalData](t, s.watch.end(t, m.RunID)); f.Text != want {
			t.Errorf("message %d saw %q, want %q", i, f.Text, want)
		}
	}
	got := call[wire.Session](t, s, wire.MethodSessionGet, wire.SessionParams{SessionID: session, Limit: 3})
	if len(got.Turns) != 3 || !got.More || got.Runs != 5 || got.Title != "0" || got.State != wire.RunDone {
		t.Fatalf("%+v", got)
	}
	if last := got.Turns[2]; got.Turns[0].Text != "2" || last.Run.Final.Text != want || last.Last == 0 {
		t.Errorf("%+v", got)
	}
	older := call[wire.Session](t, s, wire.MethodSessionGet, wire.SessionParams{SessionID: session, Before: got.Turns[0].Run.ID})
	if len(older.Turns) != 2 || older.More || older.Turns[1].Text != "1" {
		t.Errorf("%+v", older)
	}
}

func TestSessions_fiftyAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: once(doit("a", "green", "x", ""))})
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			session := id(t)
			for range 3 {
				m := message(t, session, "it-admin", "Do it")
				s.post(t, m)
				if e := s.watch.end(t, m.RunID); e.Event != wire.EventFinal || !strings.Contains(string(e.Data), "The tool said: did x") {
					t.Errorf("%s", e.Data)
				}
			}
		})
	}
	wg.Wait()
	if all, err := s.ledger.Effects(); err != nil || len(all) != 150 {
		t.Errorf("%d effects, %v", len(all), err)
	}
	last := map[string]int64{}
	for _, e := range s.watch.events() {
		if e.N != last[e.Root]+1 {
			t.Fatalf("run %s: event %d after %d", e.Root, e.N, last[e.Root])
		}
		last[e.Root] = e.N
	}
	if active, parked := s.rt.Active(); active+parked != 0 {
		t.Errorf("%d active, %d parked", active, parked)
	}
}

// Only so many conversations are worked on at once; a run that waits for a person takes no place.
func TestLanes(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int32
	release := make(chan struct{})
	s := start(t, options{limits: runtime.Limits{Main: 2}, model: model{func(_ context.Context, o llm.Outgoing,
		text func(string),
	) (llm.Reply, error) {
		if strings.HasPrefix(o.Messages()[1].Text, "ask") && newest(o).Role == llm.User {
			return calls(doit("a", "red", o.Messages()[1].Text, ""))
		}
		most.Store(max(most.Load(), now.Add(1)))
		defer now.Add(-1)
		<-release
		return say("ok", text)
	}}})
	for i := range 2 {
		s.post(t, message(t, id(t), "it-admin", fmt.Sprintf("ask %d", i)))
	}
	for i := range 2 {
		s.watch.until(t, "both questions", func(e wire.RunEvent) bool {
			return isApproval(wire.ApprovalPending)(e) && strings.Contains(data[wire.ApprovalData](t, e).Summary, fmt.Sprintf("ask %d", i))
		})
	}
	var all []wire.ChatMessage
	for range 5 {
		m := message(t, id(t), "it-admin", "work")
		s.post(t, m)
		all = append(all, m)
	}
	close(release)
	for _, m := range all {
		s.watch.end(t, m.RunID)
	}
	if most.Load() > 2 {
		t.Errorf("%d runs at once in a lane of 2", most.Load())
	}
}

func TestPost_repeatIsNoOp(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := start(t, options{model: model{func(_ context.Context, _ llm.Outgoing, text func(string)) (llm.Reply, error) {
		asked.Add(1)
		return say("ok", text)
	}}})
	m, _ := s.ask(t, "it-admin", "Hello")
	ack, err := s.rt.Post(t.Context(), m)
	if err != nil || ack.State != wire.RunDone {
		t.Errorf("%+v, %v", ack, err)
	}
	s.accept(t, m)
	s.ask(t, "it-admin", "something else") // whatever the repeat began has had its turn by now
	if asked.Load() != 2 {
		t.Errorf("asked %d times", asked.Load())
	}
}

func TestPost_refusesWhatNoRunCanAnswer(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: says("x")})
	good := message(t, id(t), "it-admin", "Hello")
	for name, change := range map[string]func(*wire.ChatMessage){
		"no run id":   func(m *wire.ChatMessage) { m.RunID = "" },
		"odd session": func(m *wire.ChatMessage) { m.SessionID = "../x" },
		"empty":       func(m *wire.ChatMessage) { m.Text = " \n" },
		"too long":    func(m *wire.ChatMessage) { m.Text = strings.Repeat("é", 100_001) },
		"not text":    func(m *wire.ChatMessage) { m.Text = "a\xff" },
	} {
		m := good
		change(&m)
		var no *wire.RPCError
		if _, err := s.rt.Post(t.Context(), m); !errors.As(err, &no) || no.Code != "bad_request" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := call[wire.SessionsResult](t, s, wire.MethodSessionsList, wire.ListParams{}); len(got.Items) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestPost_countsCharacters: the longest message has 100,000 characters, however many bytes they take.
func TestPost_countsCharacters(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: says("x")})
	m, e := s.ask(t, "it-admin", strings.Repeat("é", 100_000))
	if e.Event != wire.EventFinal {
		t.Errorf("%s", e.Data)
	}
	m.RunID, m.Text = id(t), m.Text+"é"
	if _, err := s.rt.Post(t.Context(), m); err == nil || !strings.Contains(err.Error(), "longer than 100000 characters") {
		t.Errorf("one more: %v", err)
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: model{func(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if newest(o).Text == "wait" {
			text("I am waiting for it ")
			<-ctx.Done()
			return llm.Reply{}, ctx.Err()
		}
		return say(fmt.Sprintf("%d messages", len(o.Messages())), text)
	}}})
	session := id(t)
	in := func(text string) string {
		m := message(t, session, "it-admin", text)
		s.post(t, m)
		return data[wire.FinalData](t, s.watch.end(t, m.RunID)).Text
	}
	if got := in("one"); got != "2 messages" {
		t.Errorf("%q", got)
	}
	if got := in("two"); got != "4 messages" {
		t.Errorf("%q", got)
	}
	if got := in("/help"); !strings.Contains(got, "/stop") || !strings.Contains(got, "Secretary") {
		t.Errorf("%q", got)
	}
	if got := in("/new"); !strings.Contains(got, "afresh") {
		t.Errorf("%q", got)
	}
	if got := in("three"); got != "2 messages" {
		t.Errorf("after /new the model still reads the past: %q", got)
	}
	waiting, behind := message(t, session, "it-admin", "wait"), message(t, session, "it-admin", "four")
	s.post(t, waiting)
	s.post(t, behind)
	s.watch.until(t, "the waiting run", func(e wire.RunEvent) bool { return e.Root == waiting.RunID && e.Event == wire.EventDelta })
	if got := in("/status"); !strings.Contains(got, "test-model") || !strings.Contains(got, "at work on this server: 1") ||
		!strings.Contains(got, "in this conversation: 2") {
		t.Errorf("%q", got)
	}
	if got := in(" /STOP "); got != "Stopped 2 runs of this conversation." {
		t.Errorf("%q", got)
	}
	for _, m := range []wire.ChatMessage{waiting, behind} {
		if d := data[wire.ErrorData](t, s.watch.end(t, m.RunID)); d.Type != "stopped" {
			t.Errorf("%+v", d)
		}
	}
	if got := in("/stop"); !strings.HasPrefix(got, "Nothing was running") {
		t.Errorf("%q", got)
	}
}

package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/wire"
)

// queue sets what becomes of messages that come while a run is at work, and how long a burst of them lasts.
func (s *server) queue(mode wire.QueueMode, burst time.Duration) error {
	ms := int(burst.Milliseconds())
	was := s.World.Config.State().Config()
	return s.World.Config.Adopt(context.Background(), wire.Config{
		Version: was.Version + 1, DefaultLevel: 2, TimeZone: "UTC", Chats: wire.Chats{Queue: mode, Debounce: &ms},
	})
}

func startQueue(t *testing.T, mode wire.QueueMode, burst time.Duration, o options) *server {
	t.Helper()
	s := start(t, o)
	if err := s.queue(mode, burst); err != nil {
		t.Fatal(err)
	}
	return s
}

// heard is what a model reads, without its instructions, one line a message.
func heard(o llm.Outgoing) string {
	var all []string
	for _, m := range o.Messages()[1:] {
		all = append(all, string(m.Role[0])+":"+strings.ReplaceAll(m.Text, "\n\n", "+"))
	}
	return strings.Join(all, "|")
}

// echo answers with what it heard. A message "work" is answered once release is closed, and begun says that it is at it.
type echo struct {
	begun   chan struct{}
	release chan struct{}
	mu      sync.Mutex
	asked   []string
}

func newEcho() *echo {
	return &echo{begun: make(chan struct{}, 10), release: make(chan struct{})}
}

func (e *echo) model() model {
	return model{func(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		e.mu.Lock()
		e.asked = append(e.asked, heard(o))
		e.mu.Unlock()
		if newest(o).Text == "work" {
			text("working ")
			e.begun <- struct{}{}
			select {
			case <-e.release:
			case <-ctx.Done():
				return llm.Reply{}, ctx.Err()
			}
			return say("worked", text)
		}
		return say("ok", text)
	}}
}

func (e *echo) all() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.asked)
}

// texts posts texts to one conversation, one after the other.
func (s *server) texts(t testing.TB, session string, texts ...string) []wire.ChatMessage {
	t.Helper()
	all := make([]wire.ChatMessage, len(texts))
	for i, text := range texts {
		all[i] = message(t, session, "it-admin", text)
		s.post(t, all[i])
	}
	return all
}

// ends are the ends of runs: the text of the answer, the place of the run that answers in its stead, or why there is none.
func (s *server) ends(t testing.TB, all ...wire.ChatMessage) []string {
	t.Helper()
	var out []string
	for _, m := range all {
		switch e := s.watch.end(t, m.RunID); e.Event {
		case wire.EventFinal:
			f := data[wire.FinalData](t, e)
			at := slices.IndexFunc(all, func(m wire.ChatMessage) bool { return m.RunID == f.Into })
			if f.Into != "" {
				f.Text = fmt.Sprintf("into %d", at)
			}
			out = append(out, f.Text)
		default:
			f := data[wire.ErrorData](t, e)
			at := slices.IndexFunc(all, func(m wire.ChatMessage) bool { return m.RunID == f.For })
			out = append(out, fmt.Sprintf("%s for %d", f.Type, at))
		}
	}
	return out
}

func equal(t testing.TB, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// queued waits until a message waits, and says what for.
func (s *server) queued(t testing.TB, m wire.ChatMessage) string {
	t.Helper()
	return data[wire.QueuedData](t, s.watch.until(t, "the queue", func(e wire.RunEvent) bool {
		return e.Root == m.RunID && e.Event == wire.EventQueued
	})).Why
}

// TestQueueModes: what becomes of messages that come while a run is at work, and what the model and the pages then know.
func TestQueueModes(t *testing.T) {
	t.Parallel()
	for mode, want := range map[wire.QueueMode]struct {
		why   string
		ends  []string
		asked []string
	}{
		"": {
			wire.WaitsTurn,
			[]string{"worked", "ok", "ok"},
			[]string{"u:work", "u:work|a:worked|u:two", "u:work|a:worked|u:two|a:ok|u:three"},
		},
		wire.QueueFollowUp: {
			wire.WaitsTurn,
			[]string{"worked", "ok", "ok"},
			[]string{"u:work", "u:work|a:worked|u:two", "u:work|a:worked|u:two|a:ok|u:three"},
		},
		wire.QueueCollect: {
			wire.WaitsMore,
			[]string{"worked", "ok", "into 1"},
			[]string{"u:work", "u:work|a:worked|u:two+three"},
		},
		wire.QueueSteer: { // no tool call is under way any more
			wire.WaitsStep,
			[]string{"worked", "ok", "into 1"},
			[]string{"u:work", "u:work|a:worked|u:two+three"},
		},
	} {
		t.Run("mode "+string(mode), func(t *testing.T) {
			t.Parallel()
			e := newEcho()
			s := startQueue(t, mode, 0, options{model: e.model()})
			session := id(t)
			all := s.texts(t, session, "work")
			<-e.begun
			all = append(all, s.texts(t, session, "two", "three")...)
			if why := s.queued(t, all[1]); why != want.why {
				t.Errorf("it waits %q, want %q", why, want.why)
			}
			close(e.release)
			equal(t, "ends", s.ends(t, all...), want.ends...)
			equal(t, "the model heard", e.all(), want.asked...)
			last := s.texts(t, session, "four")
			s.ends(t, last...)
			if got := e.all(); !strings.HasSuffix(got[len(got)-1], "|a:ok|u:four") || strings.Count(got[len(got)-1], "three") != 1 {
				t.Errorf("later the model hears %q", got[len(got)-1])
			}
			got := call[wire.Session](t, s, wire.MethodSessionGet, wire.SessionParams{SessionID: session})
			if len(got.Turns) != 4 || got.State != wire.RunDone || got.Turns[2].Text != "three" || got.Turns[2].Run.State != wire.RunDone {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestQueueModes_interrupt: the running turn is stopped, and the newest message is answered, with those that came meanwhile.
func TestQueueModes_interrupt(t *testing.T) {
	t.Parallel()
	e := newEcho()
	s := startQueue(t, wire.QueueInterrupt, 0, options{model: e.model()})
	session := id(t)
	all := s.texts(t, session, "work")
	<-e.begun
	all = append(all, s.texts(t, session, "work")...)
	<-e.begun
	all = append(all, s.texts(t, session, "something else")...)
	equal(t, "ends", s.ends(t, all...), "stopped for 1", "stopped for 2", "ok")
	equal(t, "the model heard", e.all(), "u:work", "u:work|a:(Stopped) working|u:work",
		"u:work|a:(Stopped) working|u:work|a:(Stopped) working|u:something else")
}

// TestQueueModes_burst: in a messenger a burst of messages is one turn; in the portal a message that waits for nothing waits for
// nothing more.
func TestQueueModes_burst(t *testing.T) {
	t.Parallel()
	e := newEcho()
	s := startQueue(t, "", 300*time.Millisecond, options{model: e.model()})
	where := runtime.Place{Agent: "it-admin", Channel: "telegram", Sender: "77"}
	var all []wire.ChatMessage
	for _, text := range []string{"one", "two", "three"} {
		m, _ := s.inbound(t, where, text, nil)
		all = append(all, m)
	}
	equal(t, "ends", s.ends(t, all...), "ok", "into 0", "into 0")
	equal(t, "the model heard", e.all(), "u:one+two+three")

	e = newEcho()
	s = startQueue(t, wire.QueueCollect, time.Hour, options{model: e.model()})
	m, end := s.ask(t, "it-admin", "alone")
	if end.Event != wire.EventFinal {
		t.Errorf("%s", end.Data)
	}
	if got := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: m.RunID}); got.State != wire.RunDone {
		t.Errorf("%+v", got.RunInfo)
	}
}

// TestQueueModes_burstStops: who waits for the rest of a burst can still be stopped, and holds up no end of the process.
func TestQueueModes_burstStops(t *testing.T) {
	t.Parallel()
	e := newEcho()
	s := startQueue(t, "", time.Hour, options{model: e.model()})
	m, _ := s.inbound(t, runtime.Place{Agent: "it-admin", Channel: "telegram", Sender: "77"}, "one", nil)
	if _, err := s.rt.Cancel(t.Context(), wire.RunCancel{RunID: m.RunID, By: owner}); err != nil {
		t.Fatal(err)
	}
	equal(t, "ends", s.ends(t, m), "stopped for -1")
	s.inbound(t, runtime.Place{Agent: "it-admin", Channel: "telegram", Sender: "78"}, "two", nil)
	if len(e.all()) != 0 {
		t.Errorf("the model heard %q", e.all())
	}
}

// inbound takes in what somebody wrote in a messenger.
func (s *server) inbound(t testing.TB, at runtime.Place, text string, from []policy.Source) (wire.ChatMessage, string) {
	t.Helper()
	m := wire.ChatMessage{
		RunID: id(t), Text: text, Time: nowUTC(), From: wire.Origin{UserID: at.Sender, Channel: at.Channel, Email: at.Sender},
	}
	var err error
	werr := s.DB.Write(t.Context(), applying(func(tx tx) error {
		m.SessionID, err = s.rt.AcceptInbound(t.Context(), tx, runtime.Inbound{ChatMessage: m, Place: at, Taint: from})
		return err
	}))
	if werr != nil {
		t.Fatal(werr)
	}
	return m, m.SessionID
}

// atWork is a tool that says when it runs, and does its work once it may.
type atWork struct{ begun, release chan struct{} }

func newAtWork() *atWork {
	return &atWork{begun: make(chan struct{}, 10), release: make(chan struct{})}
}

func (a *atWork) began(context.Context, gate.Permit, json.RawMessage) {
	a.begun <- struct{}{}
	<-a.release
}

// works calls a tool for every message "work", and answers with what it heard.
func works(tier string) model {
	return model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if newest(o).Role == llm.User && strings.HasSuffix(newest(o).Text, "work") {
			return calls(doit("a", tier, "the shelf", ""))
		}
		return say(heard(o), text)
	}}
}

// TestQueueModes_steer: a message reaches the run before its next model call, behind the result of the tool.
func TestQueueModes_steer(t *testing.T) {
	t.Parallel()
	tool := newAtWork()
	s := startQueue(t, wire.QueueSteer, 0, options{model: works("yellow"), began: tool.began})
	session := id(t)
	all := s.texts(t, session, "work")
	<-tool.begun
	all = append(all, s.texts(t, session, "and be quick", "thanks")...)
	s.queued(t, all[2])
	close(tool.release)
	const all3 = "u:work|a:|t:did the shelf|u:and be quick+thanks"
	equal(t, "ends", s.ends(t, all...), all3, "into 0", "into 0")
	got := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: all[1].RunID})
	if got.Final == nil || got.Final.Into != all[0].RunID {
		t.Errorf("%+v", got)
	}
	s.answersFor(t, all[1].RunID, all[0].RunID)
	s.answersFor(t, all[0].RunID, "")
}

// TestQueueModes_interruptsWrite: a write that was under way is neither lost nor repeated: the model that goes on reads of it, and
// the receipts have its end.
func TestQueueModes_interruptsWrite(t *testing.T) {
	t.Parallel()
	tool := newAtWork()
	s := startQueue(t, wire.QueueInterrupt, 0, options{model: works("yellow"), began: tool.began})
	session := id(t)
	all := s.texts(t, session, "work")
	<-tool.begun
	all = append(all, s.texts(t, session, "leave it")...)
	got := s.ends(t, all...)
	if got[0] != "stopped for 1" || !strings.Contains(got[1], "look before you repeat it: Do the shelf") {
		t.Errorf("%q", got)
	}
	s.answersFor(t, all[0].RunID, all[1].RunID)
	close(tool.release)
	s.settled(t, all[0].RunID)
	if a, err := s.rt.AnswerOf(t.Context(), all[0].RunID); err != nil || !strings.Contains(a.Text, "what this turn did stays done") {
		t.Errorf("%+v, %v", a, err)
	}
	if n, err := s.ledger.Effects(); err != nil || len(n) != 1 {
		t.Errorf("%d effects, %v", len(n), err)
	}
	last := s.texts(t, session, "and now?")
	if got := s.ends(t, last...); !strings.Contains(got[0], "[Runtime: what this turn did stays done:\n- ") {
		t.Errorf("%q", got)
	}
}

// answersFor checks which run answers in the stead of another.
func (s *server) answersFor(t testing.TB, run, want string) {
	t.Helper()
	if a, err := s.rt.AnswerOf(t.Context(), run); err != nil || !a.Ended || a.Into != want {
		t.Errorf("in the stead of %s: %+v, %v", run, a, err)
	}
}

// settled waits until the calls of a run have their last receipt.
func (s *server) settled(t testing.TB, runID string) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); ; {
		all, err := s.Log.OfRuns(t.Context(), runID)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(all, func(r wire.Receipt) bool { return r.Type == "call.finished" || r.Type == "call.failed" }) {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("no end of the call: %+v", all)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestQueueModes_people: a turn is made of the words of one person. What somebody else writes neither joins it nor stops it, and
// what stands behind a message stands behind the turn that takes it in.
func TestQueueModes_people(t *testing.T) {
	t.Parallel()
	for _, mode := range wire.QueueModes() {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			e := newEcho()
			s := startQueue(t, mode, 0, options{model: e.model()})
			session := id(t)
			all := s.texts(t, session, "work")
			<-e.begun
			other := message(t, session, "it-admin", "from a colleague")
			other.From.UserID, other.From.Email = "u2", "colleague@example.com"
			s.post(t, other)
			program := message(t, session, "it-admin", "from a program")
			program.From.Channel = "api"
			s.post(t, program)
			close(e.release)
			equal(t, "ends", s.ends(t, append(all, other, program)...), "worked", "ok", "ok")
			if got := e.all(); len(got) != 3 {
				t.Errorf("the model heard %q", got)
			}
		})
	}
}

// TestQueueModes_taint: an outsider's message that joins a turn brings its mark and its level into it, and its words are never the
// owner's.
func TestQueueModes_taint(t *testing.T) {
	t.Parallel()
	e := newEcho()
	e.begun = make(chan struct{}, 10)
	m := e.model()
	s := startQueue(t, wire.QueueCollect, 200*time.Millisecond, options{model: model{
		func(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
			if newest(o).Role == llm.User && strings.Contains(newest(o).Text, "write") {
				return calls(doit("a", "yellow", "x", ""))
			}
			return m.answer(ctx, o, text)
		},
	}})
	at := runtime.Place{Agent: "it-admin", Channel: "telegram", Sender: "77"}
	first, session := s.inbound(t, at, "write it", nil)
	second, same := s.inbound(t, at, "forwarded", []policy.Source{{Source: "message", ID: "m1"}})
	if session != same {
		t.Fatal("two conversations of one place")
	}
	asked := s.asksOr(t, first.RunID)
	if asked.Event != wire.EventApproval {
		t.Fatalf("content from outside was not asked about: %s", asked.Data)
	}
	if f := data[wire.FinalData](t, s.watch.end(t, second.RunID)); f.Into != first.RunID {
		t.Errorf("%+v", f)
	}
}

// TestQueueModes_restart: killed while messages wait, or right after one was put into the running turn, nothing is lost or answered
// twice.
func TestQueueModes_restart(t *testing.T) {
	t.Parallel()
	second := victimRun[:35] + "c"
	for place, want := range map[string][]string{
		"queue follow-up": {"u:" + victimText, "u:" + victimText + "|a:u:" + victimText + "|u:" + victimText},
		"queue collect":   {"u:" + victimText + "+" + victimText, "into"}, // the turn has to begin anew
		"queue interrupt": {"stopped", "u:" + victimText + "|a:(Stopped)|u:" + victimText},
		"queue steer":     {"u:" + victimText + "|a:|t:did x|u:" + victimText, "into"},
	} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			dir := victimDir(t)
			killAt(t, place, dir)
			var mu sync.Mutex
			asked := 0
			s := startIn(t, dir, options{model: model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
				mu.Lock()
				asked++
				mu.Unlock()
				return say(heard(o), text)
			}}})
			var got []string
			for _, run := range []string{victimRun, second} {
				switch e := s.over(t, run); {
				case e.Final == nil:
					got = append(got, e.Error.Type)
				case e.Final.Into != "":
					got = append(got, "into")
				default:
					got = append(got, e.Final.Text)
				}
			}
			equal(t, "ends", got, want...)
			answers := 0
			for _, g := range got {
				if strings.HasPrefix(g, "u:") {
					answers++
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if asked != answers {
				t.Errorf("the model was asked %d times for %d answers", asked, answers)
			}
		})
	}
}

// over waits for the end of a run that may have ended in a former process.
func (s *server) over(t testing.TB, runID string) wire.Run {
	t.Helper()
	for {
		got := call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: runID})
		if !got.State.Open() {
			return got
		}
		s.watch.end(t, runID)
	}
}

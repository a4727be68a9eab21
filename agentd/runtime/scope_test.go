package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/wire"
)

// TestScopes: who shares a conversation, and that what a stranger calls themselves brings nobody into another's.
func TestScopes(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: says("ok")})
	if err := s.queue(wire.QueueFollowUp, 0); err != nil {
		t.Fatal(err)
	}
	base := runtime.Place{Agent: "it-admin", Channel: "telegram", Sender: "anna"}
	with := func(change func(*runtime.Place)) runtime.Place {
		p := base
		change(&p)
		return p
	}
	group := func(p *runtime.Place) { p.Group = "g1" }
	for _, c := range []struct {
		name string
		a, b runtime.Place
		same bool
	}{
		{"the same sender", base, base, true},
		{"another sender", base, with(func(p *runtime.Place) { p.Sender = "ben" }), false},
		{"another channel", base, with(func(p *runtime.Place) { p.Channel = "slack" }), false},
		{"another agent", base, with(func(p *runtime.Place) { p.Agent = "secretary" }), false},
		{"in a group, not alone", base, with(group), false},
		{
			"two in a group, each for themselves", with(group), with(func(p *runtime.Place) { p.Group, p.Sender = "g1", "ben" }),
			false,
		},
		{
			"two in a group, per group", with(func(p *runtime.Place) { p.Group, p.Scope = "g1", runtime.PerGroup }),
			with(func(p *runtime.Place) { p.Group, p.Sender, p.Scope = "g1", "ben", runtime.PerGroup }), true,
		},
		{
			"two groups", with(func(p *runtime.Place) { p.Group, p.Scope = "g1", runtime.PerGroup }),
			with(func(p *runtime.Place) { p.Group, p.Scope = "g2", runtime.PerGroup }), false,
		},
		{"per group, written alone", base, with(func(p *runtime.Place) { p.Scope = runtime.PerGroup }), true},
		{
			"per channel", with(func(p *runtime.Place) { p.Scope = runtime.PerChannel }),
			with(func(p *runtime.Place) { p.Sender, p.Group, p.Scope = "ben", "g1", runtime.PerChannel }), true,
		},
		{
			"a name with the marks of a key", with(group),
			with(func(p *runtime.Place) { p.Sender = "anna:g1" }), false,
		},
		{
			"a sender named like a group", with(func(p *runtime.Place) { p.Group, p.Scope = "g1", runtime.PerGroup }),
			with(func(p *runtime.Place) { p.Channel, p.Sender = "group:telegram", "g1" }), false,
		},
	} {
		_, a := s.inbound(t, c.a, "hello", nil)
		_, b := s.inbound(t, c.b, "hello", nil)
		if (a == b) != c.same {
			t.Errorf("%s: %s and %s", c.name, a, b)
		}
	}
}

// TestScopes_race: messages of one sender that come at the same moment have one conversation, in this process and in the next.
func TestScopes_race(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startIn(t, dir, options{model: says("ok")})
	if err := s.queue(wire.QueueFollowUp, 0); err != nil {
		t.Fatal(err)
	}
	at := runtime.Place{Agent: "it-admin", Channel: "telegram", Sender: "77"}
	var wg sync.WaitGroup
	var mu sync.Mutex
	found := map[string]bool{}
	for i := range 20 {
		wg.Go(func() {
			m, session := s.inbound(t, at, fmt.Sprint(i), nil)
			s.watch.end(t, m.RunID)
			mu.Lock()
			found[session] = true
			mu.Unlock()
		})
	}
	wg.Wait()
	if len(found) != 1 {
		t.Fatalf("%d conversations", len(found))
	}
	m, session := s.inbound(t, at, "again", nil)
	s.watch.end(t, m.RunID)
	if !found[session] {
		t.Error("a later message began another conversation")
	}
	if got := call[wire.Session](t, s, wire.MethodSessionGet, wire.SessionParams{SessionID: session}); got.Runs != 21 {
		t.Errorf("%d messages", got.Runs)
	}
	err := s.DB.Write(t.Context(), applying(func(tx tx) error {
		again, err := s.rt.AcceptInbound(t.Context(), tx, runtime.Inbound{ChatMessage: m, Place: at})
		if again != session {
			t.Errorf("a repeat went to %s", again)
		}
		return err
	}))
	if err != nil {
		t.Fatal(err)
	}
}

// ending lets conversations end as set.
func (s *server) ending(t testing.TB, c wire.Chats) {
	t.Helper()
	was := s.World.Config.State().Config()
	err := s.World.Config.Adopt(t.Context(), wire.Config{Version: was.Version + 1, DefaultLevel: 2, TimeZone: "Europe/Berlin", Chats: c})
	if err != nil {
		t.Fatal(err)
	}
}

// aged makes a conversation look as if it had been quiet for so long.
func (s *server) aged(t testing.TB, session string, quiet time.Duration) {
	t.Helper()
	err := s.DB.Write(t.Context(), applying(func(tx tx) error {
		_, err := tx.Exec("UPDATE sessions SET updated_at = ? WHERE id = ?", time.Now().Add(-quiet).UnixMicro(), session)
		return err
	}))
	if err != nil {
		t.Fatal(err)
	}
}

// TestIdleExpiry: after the time that the owner has set the next message begins a conversation; the old one stays readable, the model
// reads nothing of it, and later messages that name it go where it goes on.
func TestIdleExpiry(t *testing.T) {
	t.Parallel()
	e := newEcho()
	s := start(t, options{model: e.model()})
	session := id(t)
	in := func(text string) (wire.ChatAck, string) {
		m := message(t, session, "it-admin", text)
		ack, err := s.rt.Post(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		s.watch.end(t, m.RunID)
		again, err := s.rt.Post(t.Context(), m)
		if err != nil || again.SessionID != ack.SessionID {
			t.Errorf("a repeat of %q: %+v, %v", text, again, err)
		}
		all := e.all()
		return ack, all[len(all)-1]
	}
	in("one")
	s.aged(t, session, 100*24*time.Hour)
	if ack, heard := in("two"); ack.SessionID != "" || heard != "u:one|a:ok|u:two" {
		t.Errorf("nothing is set: %+v, %q", ack, heard)
	}
	s.ending(t, wire.Chats{IdleHours: 5})
	if ack, _ := in("three"); ack.SessionID != "" {
		t.Errorf("a fresh one is over: %+v", ack)
	}
	s.aged(t, session, 5*time.Hour)
	if ack, _ := in("/status"); ack.SessionID != "" {
		t.Errorf("a command began a conversation: %+v", ack)
	}
	s.aged(t, session, 5*time.Hour)
	ack, heard := in("four")
	if ack.SessionID == "" || ack.SessionID == session || heard != "u:four" {
		t.Fatalf("%+v, %q", ack, heard)
	}
	if next, heard := in("five"); next.SessionID != ack.SessionID || heard != "u:four|a:ok|u:five" {
		t.Errorf("%+v, %q", next, heard)
	}
	old := call[wire.Session](t, s, wire.MethodSessionGet, wire.SessionParams{SessionID: session})
	if len(old.Turns) != 4 || old.Turns[0].Text != "one" {
		t.Errorf("%+v", old)
	}
}

// TestDailyReset: with the daily beginning set, a message of today does not go on with what was said yesterday.
func TestDailyReset(t *testing.T) {
	t.Parallel()
	e := newEcho()
	s := start(t, options{model: e.model()})
	s.ending(t, wire.Chats{Daily: true})
	at := runtime.Place{Agent: "it-admin", Channel: "telegram", Sender: "77"}
	s.queueKeeping(t)
	first, was := s.inbound(t, at, "one", nil)
	s.watch.end(t, first.RunID)
	second, same := s.inbound(t, at, "two", nil)
	s.watch.end(t, second.RunID)
	s.aged(t, was, 25*time.Hour)
	third, now := s.inbound(t, at, "three", nil)
	s.watch.end(t, third.RunID)
	if same != was || now == was {
		t.Errorf("%s, %s, %s", was, same, now)
	}
	if all := e.all(); all[len(all)-1] != "u:three" {
		t.Errorf("the model heard %q", all)
	}
}

// queueKeeping lets messages of messengers begin at once.
func (s *server) queueKeeping(t testing.TB) {
	t.Helper()
	c := s.World.Config.State().Config().Chats
	none := 0
	c.Debounce = &none
	s.ending(t, c)
}

// TestIdleExpiry_waits: while a run, a request or a sub-agent of a conversation is open, it goes on however long that takes.
func TestIdleExpiry_waits(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]model{
		"request":   once(doit("a", "red", "x", "")),
		"run":       hangs(),
		"sub-agent": spawning(hangs()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, options{model: m})
			s.ending(t, wire.Chats{IdleHours: 1, Queue: wire.QueueFollowUp})
			session := id(t)
			agent := "it-admin"
			m := message(t, session, agent, "begin")
			s.post(t, m)
			if name == "sub-agent" {
				s.watch.end(t, m.RunID)
			}
			s.watch.until(t, name, func(e wire.RunEvent) bool {
				return e.Event == wire.EventDelta || isApproval(wire.ApprovalPending)(e)
			})
			s.aged(t, session, 1000*time.Hour)
			next := message(t, session, agent, "are you there?")
			if ack, err := s.rt.Post(t.Context(), next); err != nil || ack.SessionID != "" {
				t.Errorf("%+v, %v", ack, err)
			}
		})
	}
}

// spawning hands its first task to a sub-agent, which m is, and answers at once.
func spawning(m model) model {
	var asked atomic.Int32
	return model{func(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		switch {
		case asked.Add(1) == 1:
			return calls(llm.Call{ID: "s", Name: "subagent_spawn", Args: `{"agent":"it-admin","task":"look for long"}`})
		case strings.Contains(o.Messages()[len(o.Messages())-1].Text, "look for long") && newest(o).Role == llm.User:
			return m.answer(ctx, o, text)
		}
		return say("it is at work", text)
	}}
}

// TestPruning: what nobody looks for leaves the list and stays readable; what a person named, what is open and what is fresh stays.
func TestPruning(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startIn(t, dir, options{model: says("ok")})
	s.queueKeeping(t)
	in := func(sender string) string {
		m, session := s.inbound(t, runtime.Place{Agent: "it-admin", Channel: "telegram", Sender: sender}, "hello", nil)
		s.watch.end(t, m.RunID)
		return session
	}
	stale, named, fresh := in("stale"), in("named"), in("fresh")
	call[wire.SessionInfo](t, s, wire.MethodSessionRename, wire.SessionRename{SessionID: named, Title: "Keep this"})
	m, _ := s.ask(t, "it-admin", "in the portal")
	for _, one := range []string{stale, named, m.SessionID} {
		s.aged(t, one, 31*24*time.Hour)
	}
	again, err := runtime.New(s.deps)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Start(t.Context(), s.Gate); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := again.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	listed := map[string]bool{}
	for _, one := range call[wire.SessionsResult](t, s, wire.MethodSessionsList, wire.ListParams{}).Items {
		listed[one.ID] = true
	}
	if listed[stale] || !listed[named] || !listed[fresh] || !listed[m.SessionID] {
		t.Errorf("stale %v, named %v, fresh %v, of the portal %v", listed[stale], listed[named], listed[fresh], listed[m.SessionID])
	}
	if got := call[wire.Session](t, s, wire.MethodSessionGet, wire.SessionParams{SessionID: stale}); len(got.Turns) != 1 {
		t.Errorf("%+v", got)
	}
	if in("stale") != stale { // and a message brings it back
		t.Error("the archived conversation was not gone on with")
	}
}

package runtime_test

import (
	"context"
	"strings"
	"testing"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/wire"
)

// scheduled is what a schedule sends.
func scheduled(t testing.TB, m wire.ChatMessage) runtime.Scheduled {
	t.Helper()
	return runtime.Scheduled{ChatMessage: m, Title: "Look at the disk", Level: 3}
}

func (s *server) schedule(t testing.TB, m runtime.Scheduled) {
	t.Helper()
	if err := s.DB.Write(t.Context(), applying(func(tx tx) error { return s.rt.AcceptScheduled(tx, m) })); err != nil {
		t.Fatal(err)
	}
}

// asksOr waits for the question of a run, or its end.
func (s *server) asksOr(t testing.TB, runID string) wire.RunEvent {
	t.Helper()
	return s.watch.until(t, "a question or the end", func(e wire.RunEvent) bool {
		return e.Root == runID && (e.Event == wire.EventFinal || e.Event == wire.EventError || isApproval(wire.ApprovalPending)(e))
	})
}

func (s *server) atLevel3(t testing.TB) {
	t.Helper()
	if err := s.World.Config.Adopt(t.Context(), wire.Config{Version: 1, DefaultLevel: 3, TimeZone: "UTC"}); err != nil {
		t.Fatal(err)
	}
}

// hangs is a model that begins to speak and does not end.
func hangs() model {
	return model{func(ctx context.Context, _ outgoing, text func(string)) (reply, error) {
		text("hm ")
		<-ctx.Done()
		return reply{}, ctx.Err()
	}}
}

// TestScheduled_level: a run of a schedule stands no higher than the schedule, itself and what it delegates, in this process and
// in the next one.
func TestScheduled_level(t *testing.T) {
	t.Parallel()
	yellow := doit("a", "yellow", "x", "")
	for name, c := range map[string]struct {
		agent string
		model model
	}{"itself": {"it-admin", once(yellow)}, "delegated": {"dispatcher", handing(once(yellow))}} {
		for level, want := range map[int]wire.Event{1: wire.EventApproval, 3: wire.EventFinal} {
			s := start(t, options{model: c.model})
			s.atLevel3(t)
			m := scheduled(t, message(t, id(t), c.agent, "Look at it"))
			m.Level = level
			s.schedule(t, m)
			if e := s.asksOr(t, m.RunID); e.Event != want {
				t.Errorf("%s at level %d: %s %s", name, level, e.Event, e.Data)
			}
		}
		dir := t.TempDir()
		s, err := open(dir, options{model: hangs()})
		if err != nil {
			t.Fatal(err)
		}
		s.atLevel3(t)
		m := scheduled(t, message(t, id(t), c.agent, "Look at it"))
		m.Level = 1
		s.schedule(t, m)
		s.watch.deltas(t, 1)
		if err := s.close(); err != nil {
			t.Fatal(err)
		}
		s = startIn(t, dir, options{model: c.model})
		if e := s.asksOr(t, m.RunID); e.Event != wire.EventApproval {
			t.Errorf("%s, after a restart: %s %s", name, e.Event, e.Data)
		}
	}
}

// TestScheduled_taint: what stood behind a schedule stands behind its runs, in this process and in the next one, and behind
// what is said later in their conversation.
func TestScheduled_taint(t *testing.T) {
	t.Parallel()
	from := []policy.Source{{Source: "shell", ID: "01900000-0000-7000-8000-0000000000ff"}}
	dir := t.TempDir()
	s, err := open(dir, options{model: hangs()})
	if err != nil {
		t.Fatal(err)
	}
	s.atLevel3(t)
	m := scheduled(t, message(t, id(t), "it-admin", "Look at it"))
	m.Taint, m.Fresh = from, true
	s.schedule(t, m)
	s.watch.deltas(t, 1)
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	s = startIn(t, dir, options{model: once(doit("a", "yellow", "x", ""))})
	s.askedTainted(t, m.RunID)

	again := scheduled(t, message(t, id(t), "it-admin", "Look at it"))
	again.Taint = from
	s.schedule(t, again)
	s.askedTainted(t, again.RunID)
	later := message(t, m.SessionID, "it-admin", "And now?")
	s.post(t, later)
	s.askedTainted(t, later.RunID)
}

// askedTainted fails unless a run is asked because of content from outside. It is allowed.
func (s *server) askedTainted(t *testing.T, runID string) {
	t.Helper()
	e := s.asksOr(t, runID)
	if e.Event != wire.EventApproval {
		t.Fatalf("nobody was asked: %s", e.Data)
	}
	a := data[wire.ApprovalData](t, e).Approval
	wantTainted(t, &a)
	s.allow(t, &a)
	s.watch.end(t, runID)
}

// TestScheduled_once: what a schedule sends a second time changes nothing.
func TestScheduled_once(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: once(doit("a", "green", "x", ""))})
	m := scheduled(t, message(t, id(t), "it-admin", "Look at it"))
	s.schedule(t, m)
	s.watch.end(t, m.RunID)
	s.schedule(t, m)
	runs := call[wire.RunsResult](t, s, wire.MethodRunsList, wire.ListParams{})
	effects, err := s.ledger.Effects()
	if err != nil || len(runs.Items) != 1 || len(effects) != 1 {
		t.Errorf("%d runs, %d effects, %v", len(runs.Items), len(effects), err)
	}
}

// TestScheduled_say: what only has to be said asks no model, and stands in the conversation as an answer of the agent, also
// when the process ended before it was said.
func TestScheduled_say(t *testing.T) {
	t.Parallel()
	never := model{func(context.Context, outgoing, func(string)) (reply, error) {
		t.Error("a model was asked")
		return reply{}, nil
	}}
	s := start(t, options{model: never})
	m := scheduled(t, message(t, id(t), "dispatcher", "Call the tax office"))
	m.Say = "Reminder: call the tax office"
	s.schedule(t, m)
	if f := data[wire.FinalData](t, s.watch.end(t, m.RunID)); f.Text != m.Say || f.Verdict != wire.VerdictNothingRan {
		t.Errorf("%+v", f)
	}
	all := call[wire.SessionsResult](t, s, wire.MethodSessionsList, wire.ListParams{})
	if len(all.Items) != 1 || all.Items[0].Title != m.Title || all.Items[0].LastLine != m.Say {
		t.Errorf("%+v", all.Items)
	}
}

// TestScheduled_fresh: a run of a schedule reads nothing of the runs before it where it begins afresh, and is archived where
// nobody wants to hear of it.
func TestScheduled_fresh(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: model{func(_ context.Context, o outgoing, text func(string)) (reply, error) {
		var all []string
		for _, m := range o.Messages()[1:] {
			all = append(all, m.Text)
		}
		return say(strings.Join(all, "|"), text)
	}}})
	session := id(t)
	for _, fresh := range []bool{true, true, false} {
		m := scheduled(t, message(t, session, "it-admin", "look"))
		m.Fresh, m.Archived = fresh, true
		s.schedule(t, m)
		want := "look"
		if !fresh {
			want = "look|look|look"
		}
		if f := data[wire.FinalData](t, s.watch.end(t, m.RunID)); f.Text != want {
			t.Errorf("fresh %v: it reads %q", fresh, f.Text)
		}
	}
	if all := call[wire.SessionsResult](t, s, wire.MethodSessionsList, wire.ListParams{}); len(all.Items) != 0 {
		t.Errorf("%+v", all.Items)
	}
	if all := call[wire.SessionsResult](t, s, wire.MethodSessionsList, wire.ListParams{Archived: true}); len(all.Items) != 1 {
		t.Errorf("%+v", all.Items)
	}
}

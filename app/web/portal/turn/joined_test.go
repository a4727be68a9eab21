package turn

import (
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/views/ui"
)

// TestTurn_waits: a message says what it waits for, then where it was answered; one that was stopped for another says so.
func TestTurn_waits(t *testing.T) {
	t.Parallel()
	look := func(events ...wire.RunEvent) ui.Turn {
		turn := New(rootRun, "dispatcher", t0, 0)
		for _, ev := range events {
			turn.Take(ev)
		}
		return turn.Look(pageContext(), names)
	}
	event := func(n int64, kind wire.Event, data string) wire.RunEvent {
		return wire.RunEvent{Root: rootRun, Session: session, N: n, Event: kind, Data: []byte(data)}
	}
	queued := func(why string) wire.RunEvent {
		return event(1, wire.EventQueued, `{"n":1,"run_id":"`+rootRun+`","why":"`+why+`"}`)
	}
	for why, want := range map[string]string{
		wire.WaitsTurn: "when the message before it is answered", wire.WaitsMore: "in one go with what else you write",
		wire.WaitsStep: "at its next step", wire.WaitsTaken: "is being stopped",
	} {
		if got := look(queued(why)).Why; !strings.Contains(got, want) {
			t.Errorf("%s: %q", why, got)
		}
	}
	joined := look(queued(wire.WaitsMore), event(2, wire.EventFinal,
		`{"n":2,"run_id":"`+rootRun+`","verdict":"nothing_ran","claims":[],"receipts":[],"into":"`+childRun+`"}`))
	if joined.State != "done" || joined.Proof != nil || len(joined.Links) != 1 || joined.Links[0].Href != "#"+ui.TurnID(childRun) {
		t.Errorf("%+v", joined)
	}
	stopped := look(event(1, wire.EventError,
		`{"n":1,"run_id":"`+rootRun+`","type":"stopped","title":"Stopped","detail":"x","for":"`+childRun+`"}`))
	if stopped.State != "stopped" || !strings.Contains(stopped.Why, "Your next message took its place") {
		t.Errorf("%+v", stopped)
	}
}

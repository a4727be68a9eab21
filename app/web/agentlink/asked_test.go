package agentlink_test

import (
	"encoding/json"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/db/dbtest"
)

// TestEvents_questionIsStoredFirst: an event that asks a person overtakes the question itself, which travels apart; a
// reader gets it when the inbox has the question, and not before.
func TestEvents_questionIsStoredFirst(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	a := h.newAgent(t, c)
	r := a.runtime()
	a.run(h.web.URL)
	a.up(h)
	q := a.question()
	r.post(wire.ChatMessage{RunID: q.RootRunID})
	s, err := h.chats.Events(t.Context(), c.id, q.RootRunID, 0)
	must(t, err)
	r.ask(q)
	h.patiently(t, c, wire.MethodEcho, "x", nil) // the event went before: the hub has it
	overtaken := len(s.C)
	a.put(wire.TypeApprovalRequest, q)
	select {
	case ev := <-s.C:
		if ev.Event != wire.EventApproval {
			t.Fatalf("got %s", ev.Event)
		}
	case <-time.After(patience):
		t.Fatal("the event does not come")
	}
	if _, err := h.approvals.Get(t.Context(), c.id, q.ID); err != nil || overtaken > 0 {
		t.Errorf("a reader heard of a question that nobody can answer: %v", err)
	}
}

// ask is the event that goes with a question.
func (r *runs) ask(q wire.Approval) {
	r.mu.Lock()
	n := int64(len(r.events[q.RootRunID]) + 1)
	data, err := json.Marshal(wire.ApprovalData{N: n, Approval: q})
	must(r.a.t, err)
	ev := wire.RunEvent{Root: q.RootRunID, N: n, Event: wire.EventApproval, Data: data}
	r.events[q.RootRunID] = append(r.events[q.RootRunID], ev)
	r.mu.Unlock()
	r.a.client.Send(wire.TypeChatEvent, ev)
}

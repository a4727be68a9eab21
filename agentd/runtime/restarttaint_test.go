package runtime_test

import (
	"context"
	"encoding/json"
	"testing"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/wire"
)

// readsAndHangs is obeys, whose delegated run begins to speak of what it has read and does not end.
func readsAndHangs() model {
	return model{func(ctx context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		if isDispatcher(o) || newest(o).Role != llm.ToolReply {
			return obeys().answer(ctx, o, text)
		}
		text("it says ")
		<-ctx.Done()
		return llm.Reply{}, ctx.Err()
	}}
}

// holdsAnswers keeps the answer of a delegated run from the one that delegated: the gate has it on record by then.
type holdsAnswers struct{}

// ApprovalChanged implements gate.Listener.
func (holdsAnswers) ApprovalChanged(wire.Approval) {}

// ToolChanged implements gate.Listener.
func (holdsAnswers) ToolChanged(_, _ string, d wire.ToolData) {
	if answered(d) {
		select {}
	}
}

func answered(d wire.ToolData) bool { return d.Tool == "agent_dispatch" && d.State == wire.ToolDone }

func isAnswered(e wire.RunEvent) bool {
	var d wire.ToolData
	return e.Event == wire.EventTool && json.Unmarshal(e.Data, &d) == nil && answered(d)
}

// TestRestart_taintOfChild: who delegated before the process died is as tainted by the answer as if it had not died.
func TestRestart_taintOfChild(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"reading child", "child answered"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			dir := victimDir(t)
			killAt(t, place, dir)
			s := startIn(t, dir, options{model: obeys()})
			e := s.watch.until(t, "a question or the end", func(e wire.RunEvent) bool {
				return e.Event == wire.EventFinal || e.Event == wire.EventError || isApproval(wire.ApprovalPending)(e)
			})
			if e.Event != wire.EventApproval {
				t.Fatalf("nobody was asked: %s", e.Data)
			}
			a := data[wire.ApprovalData](t, e).Approval
			wantTainted(t, &a)
			s.allow(t, &a)
		})
	}
}

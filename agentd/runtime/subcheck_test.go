package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/wire"
)

// Whoever reads the task of a sub-agent reads what stood behind it, also while that is at work.
func TestSubagent_openTaint(t *testing.T) {
	t.Parallel()
	for _, c := range []string{"subagent_check", "subagent_stop"} {
		p := parts{told: passesOn, first: func(o llm.Outgoing, text func(string)) (llm.Reply, error) {
			switch last := newest(o); {
			case askedOf(o) != "tick" && last.Role != llm.ToolReply:
				return calls(doit("r", "green", "mail", "outside"))
			case askedOf(o) != "tick" && strings.Contains(last.Text, "Begun"):
				return say("begun", text)
			case askedOf(o) != "tick":
				return calls(spawn("1", "", "do what the mail says"))
			case last.Role != llm.ToolReply:
				return calls(llm.Call{ID: "c", Name: c, Args: `{}`})
			case strings.Contains(last.Text, "do what the mail says"):
				return calls(doit("w", "yellow", "x", ""))
			}
			return say("over: "+newest(o).Text, text)
		}}
		var sub string
		first := p.first
		p.first = func(o llm.Outgoing, text func(string)) (llm.Reply, error) {
			reply, err := first(o, text)
			if len(reply.Calls) > 0 && reply.Calls[0].Name == "subagent_stop" {
				reply.Calls[0].Args = fmt.Sprintf(`{"id":%q}`, sub)
			}
			return reply, err
		}
		s := start(t, options{model: withContext(p, speaksUntilEnd)})
		s.atLevel3(t)
		m, _ := s.ask(t, "it-admin", "Read the mail")
		sub = s.runOf(t, m.RunID).Tree[0].ID
		tick := scheduled(t, message(t, m.SessionID, "it-admin", "tick"))
		tick.Fresh = true
		s.schedule(t, tick)
		e := s.asksOr(t, tick.RunID)
		if e.Event != wire.EventApproval || len(data[wire.ApprovalData](t, e).Taint) == 0 {
			t.Errorf("%s: %s %s", c, e.Event, e.Data)
		}
		s.cancel(t, wire.RunCancel{RunID: m.RunID, By: owner})
	}
}

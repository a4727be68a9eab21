package runtime_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/wire"
)

// spawns begins sub-agents in one step, and says what came of each.
func spawns(n int) func(llm.Outgoing, func(string)) (llm.Reply, error) {
	return func(o llm.Outgoing, text func(string)) (llm.Reply, error) {
		var said []string
		for _, m := range o.Messages() {
			if m.Role == llm.ToolReply {
				said = append(said, m.Text)
			}
		}
		if len(said) > 0 {
			return say(strings.Join(said, "\n"), text)
		}
		all := make([]llm.Call, n)
		for i := range all {
			all[i] = spawn(fmt.Sprint(i), "", fmt.Sprint("task ", i))
		}
		return calls(all...)
	}
}

// One message has a few sub-agents at most, and what machines send leaves some for people.
func TestSubagent_share(t *testing.T) {
	t.Parallel()
	begun := func(e wire.RunEvent) int { return strings.Count(data[wire.FinalData](t, e).Text, "Begun") }
	t.Run("message", func(t *testing.T) {
		t.Parallel()
		s := start(t, options{model: withContext(parts{first: spawns(7), told: passesOn}, speaksUntilEnd)})
		m, e := s.ask(t, "it-admin", "Go")
		if n := begun(e); n != 5 {
			t.Errorf("%d sub-agents of one message", n)
		}
		s.cancel(t, wire.RunCancel{RunID: m.RunID, By: owner})
	})
	t.Run("machines", func(t *testing.T) {
		t.Parallel()
		s := start(t, options{
			limits: runtime.Limits{Spawned: 4}, model: withContext(parts{first: spawns(3), told: passesOn}, speaksUntilEnd),
		})
		for i, want := range []int{2, 0} {
			m := scheduled(t, message(t, id(t), "it-admin", "Go"))
			m.Hook = i == 0
			s.schedule(t, m)
			if n := begun(s.watch.end(t, m.RunID)); n != want {
				t.Errorf("%d sub-agents of machine %d", n, i)
			}
		}
		if _, e := s.ask(t, "it-admin", "Go"); begun(e) != 2 {
			t.Errorf("%d sub-agents of a person", begun(e))
		}
	})
}

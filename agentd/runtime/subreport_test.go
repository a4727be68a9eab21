package runtime_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// rules puts a permissions.yaml in force.
func (s *server) rules(t testing.TB, text string) {
	t.Helper()
	_, base := s.World.Config.State().Rules()
	p, err := json.Marshal(wire.PermissionsSet{ID: id(t), Base: base, Text: text, By: owner})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.World.Config.Methods().Answer(t.Context(), wire.MethodPermissionsSet, p); err != nil {
		t.Fatal(err)
	}
}

// The owner's rules about where a message came from hold in the turn that hears of its sub-agents as well, which nobody wrote.
func TestSubagent_reportOrigin(t *testing.T) {
	t.Parallel()
	for origin, hook := range map[policy.Origin]bool{policy.FromWebhook: true, policy.FromSchedule: false} {
		p := parts{firstCalls(spawn("1", "", "invoices")), counts("green"), func(o llm.Outgoing, text func(string)) (llm.Reply, error) {
			if newest(o).Role == llm.ToolReply {
				return say("it says "+newest(o).Text, text)
			}
			return calls(doit("w", "yellow", "x", ""), spawn("2", "", "more"))
		}}
		s := start(t, options{model: p.model()})
		s.atLevel3(t)
		s.rules(t, fmt.Sprintf("version: 1\nrules:\n  - {id: machine, effect: deny, tier: [yellow], origin: [%s]}\n", origin))
		m := scheduled(t, message(t, id(t), "it-admin", "Count the invoices"))
		m.Hook = hook
		s.schedule(t, m)
		told := s.toldEnd(t, m.SessionID, m.RunID)
		run := s.runOf(t, told.Root)
		if run.Channel != string(origin) || len(run.Calls) != 2 || run.Calls[0].State != wire.ToolDenied {
			t.Errorf("%s: %s, %+v", origin, run.Channel, run.Calls)
		}
		if f := data[wire.FinalData](t, told); !strings.Contains(f.Text, "This turn only passes on") || s.countSubs(t) != 1 {
			t.Errorf("%s: %s", origin, f.Text)
		}
		turns := call[wire.Session](t, s, wire.MethodSessionGet, wire.SessionParams{SessionID: m.SessionID}).Turns
		if len(turns) != 2 || turns[0].From.Report || !turns[1].From.Report {
			t.Errorf("%s: %+v", origin, turns)
		}
	}
}

// Only the runtime says of a turn that it is a report.
func TestSubagent_reportMark(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: parts{first: firstCalls(spawn("1", "", "a")), sub: counts("green"), told: passesOn}.model()})
	m := message(t, id(t), "it-admin", "Count")
	m.From.Report = true
	s.post(t, m)
	if f := data[wire.FinalData](t, s.watch.end(t, m.RunID)); !strings.Contains(f.Text, "Begun") {
		t.Errorf("%s", f.Text)
	}
}

// What came to a hook is no command of a person.
func TestHook_noCommand(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: says("a model reads it")})
	m := scheduled(t, message(t, id(t), "it-admin", "/new"))
	m.Hook = true
	s.schedule(t, m)
	if f := data[wire.FinalData](t, s.watch.end(t, m.RunID)); f.Text != "a model reads it" {
		t.Errorf("%s", f.Text)
	}
}

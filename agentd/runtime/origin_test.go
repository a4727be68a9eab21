package runtime_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/config"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/team"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// sees asks the team as the gate of a server does.
type sees struct{ team *team.Live }

// Visible implements gate.Visibility.
func (v *sees) Visible(s config.State, c gate.Call) (bool, string) {
	return v.team.Now().Visible(team.ViewOf(s.Config(), c.Agent, "", team.OriginOf(c.Origin)), c.Tool)
}

// stubborn is a model whose it-admin calls the shell whatever it sees, and says what came of it; shown gets whether it saw it. The
// front desk hands the task on, or begins a sub-agent when the message says so.
func stubborn(shown chan<- bool) model {
	return model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
		last := newest(o)
		switch {
		case last.Role == llm.ToolReply, strings.HasPrefix(askedOf(o), reportHead):
			return say("It says: "+last.Text, text)
		case isDispatcher(o) && strings.Contains(askedOf(o), "sub-agent"):
			return calls(spawn("s", "it-admin", "look"))
		case isDispatcher(o):
			return calls(hand("h", "it-admin", "look"))
		}
		shown <- slices.ContainsFunc(o.Tools(), func(d tool.Definition) bool { return d.Name == "shell" })
		return calls(doit("a", "yellow", "x", ""))
	}}
}

// TestOrigin_inherited: a tool that is for the owner alone is neither seen nor to be had by a run that somebody else began, also not
// where it hands the task to a colleague or begins a sub-agent. What the owner wrote has it, through both.
func TestOrigin_inherited(t *testing.T) {
	t.Parallel()
	theirs := wire.Origin{UserID: "u1", Email: "owner@example.com", Channel: "portal", Role: wire.RoleOwner}
	member := theirs
	member.Role = "member"
	for name, c := range map[string]struct {
		from      wire.Origin
		scheduled bool
		hook      bool
		text      string
		ran       bool
	}{
		"owner, handed on":        {from: theirs, text: "look", ran: true},
		"owner, by a sub-agent":   {from: theirs, text: "look with a sub-agent", ran: true},
		"member, handed on":       {from: member, text: "look"},
		"member, by a sub-agent":  {from: member, text: "look with a sub-agent"},
		"a schedule of the owner": {from: theirs, scheduled: true, text: "look"},
		"a hook":                  {from: theirs, scheduled: true, hook: true, text: "look with a sub-agent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown, own := make(chan bool, 4), sees{}
			s := start(t, options{model: stubborn(shown), with: func(d *gate.Deps) { d.Sets = &own }})
			own.team = &s.team
			err := s.World.Config.Adopt(t.Context(), wire.Config{
				Version: 1, DefaultLevel: 3, Tools: wire.ToolLimits{OwnerOnly: []string{"shell"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			m := message(t, id(t), "dispatcher", c.text)
			m.From = c.from
			if c.scheduled {
				s.schedule(t, runtime.Scheduled{ChatMessage: m, Level: 3, Hook: c.hook})
			} else {
				s.post(t, m)
			}
			if saw := <-shown; saw != c.ran {
				t.Errorf("its model sees the tool: %v", saw)
			}
			e := s.watch.until(t, "the end of the call", func(e wire.RunEvent) bool {
				if e.Event != wire.EventTool {
					return false
				}
				d := data[wire.ToolData](t, e)
				return d.Tool == "shell" && (d.State == wire.ToolDone || d.State == wire.ToolDenied)
			})
			done, err := s.ledger.Effects()
			if err != nil || (data[wire.ToolData](t, e).State == wire.ToolDone) != c.ran || (len(done) == 1) != c.ran {
				t.Errorf("%s, effects %v, %v", e.Data, done, err)
			}
		})
	}
}

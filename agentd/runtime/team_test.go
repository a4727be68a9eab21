package runtime_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/runtime"
	"gatehouse/agentd/team"
	"gatehouse/agentd/wire"
)

// changed puts a team in force in which an agent is another one: some of its files have other texts, or it is gone.
func (s *server) changed(t *testing.T, agent string, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	if err := team.Install(dir); err != nil {
		t.Fatal(err)
	}
	if files == nil {
		if err := os.RemoveAll(filepath.Join(dir, agent)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, agent, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tm, err := team.Load(dir, s.Gate.Definitions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.team.Set(tm)
}

// TestTeam_changes: a run at work keeps the words that it began with, has only the tools that its agent has at each step, and ends when
// its agent is put away. The next message finds the agent as it is then.
func TestTeam_changes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string // of the agent from the first tool on; nil: it is put away
		ends  string
	}{
		"another text": {map[string]string{"SOUL.md": "You rhyme."}, "You hum. with its tool"},
		"another tool": {map[string]string{"template.yaml": "name: IT\nprofile: minimal\n", "SOUL.md": "You rhyme."}, "You hum. without"},
		"put away":     {nil, "There is no such agent"},
		"broken":       {map[string]string{"template.yaml": "name: ["}, "This agent cannot work"},
	} {
		var change atomic.Value
		asks := model{func(_ context.Context, o llm.Outgoing, text func(string)) (llm.Reply, error) {
			soul, tool := "You hum.", " without"
			if strings.Contains(o.Messages()[0].Text, "You rhyme.") {
				soul = "You rhyme."
			}
			for _, d := range o.Tools() {
				if d.Name == "shell" {
					tool = " with its tool"
				}
			}
			if newest(o).Role == llm.ToolReply || newest(o).Text == "again" {
				return say(soul+tool, text)
			}
			return calls(doit("a", "green", "x", ""))
		}}
		s := start(t, options{model: asks, began: func(context.Context, gate.Permit, json.RawMessage) { change.Load().(func())() }})
		change.Store(func() { s.changed(t, "it-admin", c.files) })
		s.changed(t, "it-admin", map[string]string{"SOUL.md": "You hum."})
		_, end := s.ask(t, "it-admin", "do it")
		if !strings.Contains(string(end.Data), c.ends) {
			t.Errorf("%s: %s", name, end.Data)
		}
		if c.files["SOUL.md"] == "" {
			continue
		}
		if _, end := s.ask(t, "it-admin", "again"); !strings.Contains(string(end.Data), "You rhyme.") {
			t.Errorf("%s, the next message: %s", name, end.Data)
		}
	}
}

// TestTeam_broken: an agent that cannot work is in the list of the team, with the reason.
func TestTeam_broken(t *testing.T) {
	t.Parallel()
	s := start(t, options{model: says("x")})
	s.changed(t, "secretary", map[string]string{"template.yaml": "name: ["})
	got := call[wire.AgentsResult](t, s, wire.MethodAgentsList, nil)
	if n := len(got.Items); n != 3 || got.Items[2].ID != "secretary" || got.Items[2].Broken == "" || got.Items[0].Broken != "" {
		t.Fatalf("%+v", got.Items)
	}
	if b := got.Items[2]; b.Tools == nil || b.Starters == nil {
		t.Errorf("lists that are no lists: %+v", b)
	}
}

var _ runtime.Team = (*team.Live)(nil)

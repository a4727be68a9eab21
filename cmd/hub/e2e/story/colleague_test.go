package story

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

// runTree is a run with what it began, as a program reads it.
type runTree struct {
	ID, Agent, State, Task string
	SubState               string     `json:"sub_state"`
	StartedAt              *time.Time `json:"started_at"`
	EndedAt                *time.Time `json:"ended_at"`
	Tokens                 int64
	Children               []runTree
}

// hands is a message by which an agent hands a task to it-admin.
func hands(t *testing.T, says string) string {
	return "Ask for the disk. " + e2e.ToolScript(t, says, e2e.ToolCall{Name: "agent_dispatch", Args: args(t, map[string]string{
		"target": "it-admin", "task": "How full is the disk?\n" + e2e.Script(t, e2e.Step{Say: "41 percent."}),
	})})
}

// TestColleague: the secretary is refused in words until the owner lets it ask a colleague, and works with its answer then.
func TestColleague(t *testing.T) {
	m := e2e.StartModel(t)
	h, c := e2e.Start(t, m.Env()...)
	p := h.NewPage(t)
	p.SignIn()
	p.EnrolHere()
	h.AwaitSettings(t)
	const no = "the profile messaging of this agent does not have it"
	c.End(c.Say("secretary", hands(t, "I may not ask.")))
	if !m.Saw(no) || m.Saw("41 percent.\n") {
		t.Fatalf("the ask was not refused in words: %s", m.Transcript())
	}
	p.Open("/app/agents/secretary")
	p.See("#colleagues", "IT")
	p.Click("#colleagues li:has([value=it-admin]) button[name=may]")
	p.Until("it is asked", `[...document.querySelectorAll("dialog[open]")].length === 1`)
	p.InspectOpen("before a colleague may be asked")
	p.Click("dialog[open] button[data-confirmed]")
	p.See("[data-toast]", "may")
	h.AwaitSettings(t)
	run := c.Say("secretary", hands(t, "The disk is 41 percent full."))
	c.End(run)
	var tree runTree
	c.Want(http.StatusOK, http.MethodGet, "/runs/"+run, nil, &tree)
	if tree.Agent != "secretary" || len(tree.Children) != 1 || tree.Children[0].Agent != "it-admin" || tree.Children[0].State != "done" {
		t.Errorf("%+v", tree)
	}
}

// TestAPI_colleagues: a program of the owner lets an agent ask a colleague, reads who asked whom and who began what, and stops one
// sub-agent of a tree.
func TestAPI_colleagues(t *testing.T) {
	h, c, _ := e2e.StartOwned(t)
	p := program{c, h}
	const path = "/agents/secretary/colleagues"
	let := map[string]any{"colleague": "it-admin", "may": true}
	p.Want(http.StatusForbidden, http.MethodPatch, path, let, nil)
	let["version"] = p.version() + 1
	let["signature"] = p.signs(wire.ChangeAsk, wire.AskBody{Agent: "secretary", Colleague: "it-admin"}, p.version()+1)
	var now struct{ Colleagues []string }
	p.Want(http.StatusOK, http.MethodPatch, path, let, &now)
	if !slices.Equal(now.Colleagues, []string{"it-admin"}) {
		t.Errorf("%q", now.Colleagues)
	}
	h.AwaitSettings(t)
	run := p.Say("secretary", "Ask, and watch the shop. "+e2e.Script(t,
		e2e.Call(
			e2e.ToolCall{Name: "agent_dispatch", Args: args(t, map[string]string{
				"target": "it-admin", "task": "How full is the disk?\n" + e2e.Script(t, e2e.Step{Say: "41 percent."}),
			})},
			e2e.ToolCall{Name: "subagent_spawn", Args: args(t, map[string]string{
				"task": "Watch the shop\n" + e2e.Script(t, e2e.Step{Pieces: 2000, Pause: 100 * time.Millisecond}),
			})},
		),
		e2e.Step{Say: "Both have begun."},
	))
	p.End(run)
	var tree runTree
	find := func(agent string, sub bool) *runTree {
		p.Want(http.StatusOK, http.MethodGet, "/runs/"+run, nil, &tree)
		i := slices.IndexFunc(tree.Children, func(r runTree) bool { return r.Agent == agent && (r.SubState != "") == sub })
		if i < 0 {
			t.Fatalf("%+v", tree)
		}
		return &tree.Children[i]
	}
	if got := find("it-admin", false); got.State != "done" || got.StartedAt == nil || got.EndedAt == nil || got.Task == "" {
		t.Errorf("%+v", got)
	}
	if tree.ID != run || tree.Agent != "secretary" || tree.State != "done" {
		t.Errorf("%+v", tree)
	}
	watch := find("secretary", true)
	e2e.Until(t, "it works", func() bool { watch = find("secretary", true); return watch.State == "running" })
	p.Want(http.StatusAccepted, http.MethodPost, "/runs/"+watch.ID+"/cancel?alone=true", nil, nil)
	e2e.Until(t, "it has stopped", func() bool {
		watch = find("secretary", true)
		return watch.State == "stopped" && watch.SubState == "stopped" && watch.EndedAt != nil
	})
	p.Want(http.StatusOK, http.MethodPatch, path, map[string]any{"colleague": "it-admin"}, &now)
	if len(now.Colleagues) != 0 {
		t.Errorf("taken off the list: %q", now.Colleagues)
	}
	p.Want(http.StatusNotFound, http.MethodGet, "/runs/"+newID(), nil, nil)
}

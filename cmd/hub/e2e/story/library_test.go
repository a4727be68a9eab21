package story

import (
	"os"
	"path/filepath"
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestLibrary: the owner takes an agent out of the library, talks to it, puts it away and brings it back, each with a signature; its
// files are kept meanwhile, its schedules are paused, and what was said stays readable. A template that changed where the owner has
// edited asks the owner.
func TestLibrary(t *testing.T) {
	h, _, p := e2e.StartOwned(t)
	agents := h.Server("state", "agents")
	p.Open("/app/agents")
	p.Click("main a[href='/app/agents/library']")
	p.See("#template-social", "Not in the team")
	p.See("#template-social", "This server does not have it yet.")
	p.InspectOpen("the library")
	p.Shots("library")
	p.Click("#template-social button")
	p.See("[data-toast]", "Social media is in the team")
	p.See("h1", "Social media")

	p.Open("/app/chat/agent/social?new=1")
	p.Say("Plan a post. " + e2e.Script(t, e2e.Step{Say: "A post about loaves is planned."}))
	p.Until("it answers", `document.querySelector(".turn.answer:last-of-type .turn-foot")?.dataset.state === "done"`)
	talk := e2e.Eval[string](p, `location.pathname`)
	p.Say("Every Monday at 9 remind me. " + e2e.ToolScript(t, "I will.", e2e.ToolCall{
		Name: "schedule_create", Args: `{"title":"Posts","when":"every Monday at 9","task":"say which posts are due"}`,
	}))
	p.Until("it is planned", `document.querySelectorAll(".turn.answer .turn-foot[data-state=done]").length === 2`)

	p.Open("/app/agents/social/files")
	p.See("#files", "examples to go by")
	p.InspectOpen("the files of an agent")
	p.Click("#leave button")
	p.See("[data-toast]", "was put away")
	p.See("#template-social", "Put away")
	if _, err := os.Stat(filepath.Join(agents, ".archive", "social", "EXAMPLES.md")); err != nil {
		t.Error(err)
	}
	p.Open("/app/schedules")
	p.See("#schedules", "Paused: its agent is not in the team any more")
	p.Open(talk)
	p.See("main", "A post about loaves is planned.")

	p.Open("/app/agents/library")
	p.Click("#template-social button")
	p.See("[data-toast]", "is back in the team")

	soul, base := filepath.Join(agents, "secretary", "SOUL.md"), filepath.Join(agents, "secretary", ".base", "SOUL.md")
	shipped, err := os.ReadFile(soul)
	if err != nil {
		t.Fatal(err)
	}
	wantWritten(t, base, append([]byte("You are slow.\n"), shipped...)) // as an earlier version had it
	wantWritten(t, soul, append(append([]byte("You are slow.\n"), shipped...), "You rhyme.\n"...))
	p.Open("/app/agents/library")
	p.Click("#template-secretary a.primary")
	p.See("main", "The template of SOUL.md has changed")
	p.InspectOpen("a template that has changed")
	p.Shots("library-update")
	p.Click("[id='update-SOUL.md'] button.primary")
	p.See("[data-toast]", "works with this text")
	now, err := os.ReadFile(soul)
	if err != nil || string(now) != string(shipped)+"You rhyme.\n" {
		t.Errorf("%q, %v", now, err)
	}
	if _, err := os.Stat(filepath.Join(agents, ".new")); err == nil {
		left, err := os.ReadDir(filepath.Join(agents, ".new"))
		if err != nil || len(left) > 0 {
			t.Errorf("left over: %v, %v", left, err)
		}
	}
}

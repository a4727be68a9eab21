package story

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestOwnAgent: the owner makes an agent, talks to it, edits one of its files over a diff with a preview, and brings the earlier text
// back, each with a signature. Before it is signed nothing is saved. The agent begins at the lowest level.
func TestOwnAgent(t *testing.T) {
	h, _, p := e2e.StartOwned(t)
	identity := filepath.Join(h.Server("state", "agents"), "gaertner", "IDENTITY.md")
	p.Open("/app/agents")
	p.Click("main a[href='/app/agents/new']")
	p.See("h1", "New agent")
	p.Write("#f-name", "Gärtner")
	p.Write("#f-role", "Looks after the plants")
	p.Write("#f-description", "Knows when which plant wants water.")
	p.Write("#f-starters", "Which plants want water today?")
	p.Click("#new button[type=submit]")
	p.See("#review", "Knows when which plant wants water.")
	p.InspectOpen("a new agent before it is made")
	p.Shots("own-agent-new")
	if _, err := os.Stat(identity); err == nil {
		t.Error("it was made without a signature")
	}
	p.Click("#review button.primary")
	p.See("[data-toast]", "Gärtner is in the team")
	p.See("h1", "Gärtner")
	p.See("#agent", "Ask")

	p.Open("/app/chat/agent/gaertner?new=1")
	p.Say("Which plants? " + e2e.Script(t, e2e.Step{Say: "The fern wants water."}))
	p.Until("it answers", `document.querySelector(".turn.answer:last-of-type .turn-foot")?.dataset.state === "done"`)

	first, err := os.ReadFile(identity)
	if err != nil {
		t.Fatal(err)
	}
	p.Open("/app/agents/gaertner/edit?file=IDENTITY.md")
	p.Write("#f-text", "You are the gardener.\n\n- You **never** water a cactus.\n")
	p.Click("#edit button[type=submit]")
	p.See("#review .diff", "You **never** water a cactus.")
	p.See("#preview li strong", "never")
	p.InspectOpen("a file of an agent before it is saved")
	p.Shots("own-agent-edit")
	p.Click("#review button.primary")
	p.See("[data-toast]", "works with this text")
	now, err := os.ReadFile(identity)
	if err != nil || !strings.Contains(string(now), "cactus") {
		t.Errorf("%q, %v", now, err)
	}
	p.Open("/app/agents/gaertner/edit?file=IDENTITY.md")
	p.See("#history", "In force")
	p.Click("#history a.btn")
	p.See("#review .diff", "You **never** water a cactus.")
	p.Click("#review button.primary")
	p.See("[data-toast]", "works with this text")
	if now, err = os.ReadFile(identity); err != nil || string(now) != string(first) {
		t.Errorf("%q, %v", now, err)
	}

	p.Open("/app/agents/gaertner/edit?file=template.yaml")
	p.Write("#f-role", "Waters")
	p.Click("#edit button[type=submit]")
	p.See("#review .diff", "Waters")
	p.InspectOpen("the description of an agent before it is saved")
	p.Click("#review button.primary")
	p.See("[data-toast]", "works with this text")
	p.Open("/app/agents/gaertner/files")
	p.Click("#leave button")
	p.See("#template-gaertner", "Put away")
	p.Click("#template-gaertner button")
	p.See("[data-toast]", "is back in the team")
}

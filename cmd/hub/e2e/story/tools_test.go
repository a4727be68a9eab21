package story

import (
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestTools: an owner denies a tool for all agents. The page of an agent says why it is missing, and a call that the agent makes all
// the same is refused in words. To give it back takes a signature. An agent in the sandbox loses what reaches outside it.
func TestTools(t *testing.T) {
	h, _, p := e2e.StartOwned(t)
	p.Open("/app/agents")
	p.Click("main a[href='/app/agents/tools']")
	p.See("#tool-shell", "shell")
	p.InspectOpen("the tools of all agents")
	p.Desktop()
	p.Shots("tools")
	p.Click("#tool-shell form:has([value=denied]) button")
	p.See("[data-toast]", "No agent gets")
	p.See("#tool-shell", "Denied for all agents")
	h.AwaitSettings(t)

	p.Open("/app/agents/it-admin")
	p.Click("details.not-given > summary")
	p.See("details.not-given", "All agents: the owner has denied it for all agents")
	p.Shots("tools-agent")
	p.Open("/app/chat/agent/it-admin?new=1")
	uptime := e2e.ToolCall{Name: "shell", Args: args(t, map[string]string{"command": "uptime"})}
	p.Say("Run it. " + e2e.ToolScript(t, "I could not.", uptime))
	answered(p)
	p.Open(newestRun(p))
	p.Click("details.call-body > summary")
	p.See("details.call-body", "the owner has denied it for all agents")

	p.Open("/app/agents/tools")
	p.Click("#tool-shell form:has([value=denied]) button")
	p.See("#confirm-denied-shell", "back to the agents?")
	p.Click("#confirm-denied-shell button[data-confirmed]")
	p.See("[data-toast]", "is back with the agents")
	h.AwaitSettings(t)

	p.Open("/app/agents/it-admin")
	p.Click("#sandbox button[value='1']")
	p.See("[data-toast]", "works in the sandbox only")
	h.AwaitSettings(t)
	p.Open("/app/agents/it-admin")
	p.Click("details.not-given > summary")
	p.See("details.not-given", "Sandbox: this agent works in the sandbox only")
	p.Click("#sandbox form button")
	p.Click("#confirm-sandbox button[data-confirmed]")
	p.See("[data-toast]", "may work outside the sandbox again")
}

package story

import (
	"encoding/json"
	"testing"
	"time"

	"gatehouse/cmd/hub/e2e"
)

// args are the arguments of a call, as a model writes them.
func args(t *testing.T, v map[string]string) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// newestRun is the page of the task that was answered last.
func newestRun(p *e2e.Page) string {
	return "/app/runs/" + e2e.Eval[string](p, `document.querySelector(".turn.answer:last-of-type").dataset.run`)
}

// TestSubagents: work goes on beside the conversation, stands below the task that began it, is stopped alone, and the
// conversation hears of what was found by itself.
func TestSubagents(t *testing.T) {
	_, _, p := e2e.StartOwned(t)
	begin := func(task string, steps ...e2e.Step) e2e.ToolCall {
		return e2e.ToolCall{Name: "subagent_spawn", Args: args(t, map[string]string{
			"agent": "it-admin", "task": task + "\n" + e2e.Script(t, steps...),
		})}
	}
	p.Open("/app/chat")
	p.Say("Count the letters, and watch the shop. " + e2e.ToolScript(t, "Both have begun.",
		begin("Count the letters", e2e.Step{Say: "There are 41 letters."}),
		begin("Watch the shop", e2e.Step{Pieces: 2000, Pause: 100 * time.Millisecond}),
	))
	p.Until("the answer does not wait for them", `document.querySelector(".turn.answer:last-of-type .turn-foot")?.dataset.state === "done"`)
	p.See(".turn.answer:last-of-type", "Both have begun.")
	p.See(".turn.answer:last-of-type .chip", "Began a sub-agent: Count the letters")
	p.Open(newestRun(p))
	p.See("#hops", "Count the letters")
	p.See("#hops", "Completed")
	p.See("#hops", "Working")
	p.InspectOpen("a task with sub-agents")
	p.Shots("subagents")
	p.Click("#hops [data-verb=stop]")
	p.Until("only that one has stopped", `document.querySelector("#hops")?.textContent.includes("Stopped") &&
		!document.querySelector("#hops [data-verb=stop]")`)

	p.Click("main a.btn[href^='/app/chat/']")
	p.Click(".thread .turn details.more:not([open]) > summary")
	p.See(".thread .turn details.more[open]", "Report of sub-agents")
	p.See(".thread", "There are 41 letters.")
}

// TestSplit: a request is split over two colleagues side by side and a third one who needs their results; the answer is one, and the
// page of the task shows who asked whom.
func TestSplit(t *testing.T) {
	_, _, p := e2e.StartOwned(t)
	ask := func(agent, task, says string) e2e.ToolCall {
		return e2e.ToolCall{Name: "agent_dispatch", Args: args(t, map[string]string{
			"target": agent, "task": task + "\n" + e2e.Script(t, e2e.Step{Say: says}),
		})}
	}
	p.Open("/app/chat")
	p.Say("Look at the disk and the letters, then sum it up. " + e2e.Script(t,
		e2e.Call(ask("it-admin", "How full is the disk?", "41 percent."), ask("secretary", "How many letters wait?", "Three letters.")),
		e2e.Call(ask("it-admin", "Sum it up", "41 percent and three letters.")),
		e2e.Step{Say: "The disk is 41 percent full, and three letters wait."},
	))
	p.Until("it is answered", `document.querySelector(".turn.answer:last-of-type .turn-foot")?.dataset.state === "done"`)
	p.See(".turn.answer:last-of-type", "The disk is 41 percent full, and three letters wait.")
	p.Open(newestRun(p))
	p.See("#hops", "How full is the disk?")
	p.See("#hops", "How many letters wait?")
	p.Until("three runs stand below the first", `document.querySelectorAll("#hops .tree .tree > li").length === 3`)
}

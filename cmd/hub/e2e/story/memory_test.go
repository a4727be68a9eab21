package story

import (
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestMemory: what the owner tells the team is remembered beyond the conversation and stands on a page with where it comes from; the
// owner states, corrects and deletes, each with a signature, and the next answer knows what holds now.
func TestMemory(t *testing.T) {
	_, _, p := e2e.StartOwned(t)
	answered := func(what string) {
		t.Helper()
		p.Until(what, `document.querySelector(".turn.answer:last-of-type .turn-foot")?.dataset.state === "done"`)
	}
	p.Open("/app/memory")
	p.See("main", "Nothing is written down yet")
	p.InspectOpen("an empty memory")

	p.Open("/app/chat")
	p.Say("Remember where the spare key is. " + e2e.ToolScript(t, "I will remember that.", e2e.ToolCall{
		Name: "memory_write", Args: `{"text":"the spare key is with the neighbour","kind":"team"}`,
	}))
	answered("it is remembered")
	p.See(".turn.answer:last-of-type", "I will remember that")

	p.Open("/app/chat")
	p.Say("Where is the spare key? " + e2e.Script(t, e2e.Step{Say: "It is with somebody you know."}))
	answered("it is recalled")
	p.See(".turn.answer:last-of-type details.more", "1 note was remembered")

	p.Open("/app/memory")
	p.See("#memory", "the spare key is with the neighbour")
	p.See("#memory", "Noted by an agent")
	p.Click("#memory tbody tr details.more summary")
	p.Write("#memory tbody tr textarea", "The spare key is in the safe")
	p.Click("#memory tbody tr form[data-names] button")
	p.See("[data-toast]", "Corrected")
	p.See("#memory", "The spare key is in the safe")
	p.See("#memory", "Confirmed by you")

	p.Write("#state-text", "We never give discounts")
	p.Click("#state button.primary")
	p.See("[data-toast]", "Stated")
	p.See("#memory", "Stated by you")
	p.Write("#memory-q", "discuont")
	p.Until("only what fits is listed", `document.querySelectorAll("#memory tbody tr").length === 1 &&
		document.querySelector("#memory tbody").textContent.includes("discounts")`)
	p.InspectOpen("memory")
	p.Shots("memory")

	p.Open("/app/memory")
	p.Click("#memory tbody tr:last-of-type details.more summary")
	p.Click("#memory tbody tr:last-of-type .btn.danger")
	p.See("[data-toast]", "Deleted")
}

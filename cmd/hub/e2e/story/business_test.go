package story

import (
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestBusiness: the owner says what kind of business it is, takes an agent that suits it with a signature, sends a first task,
// saves one that is a schedule, puts the list away and gets it back from the page of the team.
func TestBusiness(t *testing.T) {
	_, _, p := e2e.StartOwned(t)
	p.Open("/app/agents")
	p.Click("main a[href='/app/business']")
	p.Choose("kind", "food")
	p.Click("#kind button")
	p.See("[data-toast]", "Bakery, café, restaurant")
	p.InspectOpen("the business")
	p.Shots("business")
	p.Click("#template-social button")
	p.See("[data-toast]", "Social media is in the team")
	p.See("#template-social", "In the team")

	p.Open("/app")
	p.See("#first-tasks", "Bakery, café, restaurant")
	p.Shots("business-home")
	p.Click("[data-task=note] a")
	p.Until("the message is in the field", `document.querySelector("#composer-text")?.value.startsWith("Remember that we are open")`)
	p.Click("button.send")
	p.Until("it is answered", `document.querySelector(".turn.answer .turn-foot")?.dataset.state === "done"`)

	p.Open("/app")
	p.Until("the task is ticked", `document.querySelector("[data-task=note]")?.hasAttribute("data-done")`)
	p.Click("[data-task=weekly] a")
	p.Until("the form is filled", `document.querySelector("[name=spec]")?.value === "every Wednesday at 14"`)
	p.Shots("business-schedule")
	p.Click("#schedule-form button[type=submit]")
	p.See("main", "Order for the weekend")

	p.Open("/app")
	p.Until("both are ticked", `document.querySelectorAll(".first-task[data-done]").length === 2`)
	p.Shots("business-done")
	p.Click("#first-tasks [name=all]")
	p.See("[data-toast]", "is put away")
	p.Until("the list is gone", `!document.querySelector("#first-tasks")`)
	p.Open("/app/business")
	p.Click("#tasks [name=back]")
	p.See("[data-toast]", "is back on the page Today")
	p.Until("the list is back", `document.querySelectorAll(".first-task[data-done]").length === 2`)
}

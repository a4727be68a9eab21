package story

import (
	"fmt"
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestLimits: an owner gives the team a budget of a day and chooses a model; when the budget is used up, the team pauses and says
// what to do. With a signature of the owner the budget rises, and the team works again.
func TestLimits(t *testing.T) {
	h, _, p := e2e.StartOwned(t)
	priced(t, h)
	p.Open("/app/agents")
	p.Click("main a[href='/app/agents/limits']")
	p.See("main", "Each day, all agents together")
	p.Write("[name=tokens]", "12")
	p.Click("#day button[name=save]")
	p.See("#day", "from 50,000")
	p.Write("[name=tokens]", "60000")
	p.Click("#day button[name=save]")
	p.See("[data-toast]", "60,000 tokens a day")
	p.InspectOpen("limits")
	p.Desktop()
	p.Shots("limits")

	p.Open("/app/chat")
	p.Say(e2e.Script(t, costly(59_900))) // what is left is less than the shortest answer takes
	p.Until("the answer", `document.querySelector(".turn.answer:last-of-type .turn-foot")?.dataset.state === "done"`)
	p.Say("How full is the disk?")
	p.See(".turn.answer:last-of-type", "The team is paused")
	p.See(".turn.answer:last-of-type", "under Team, Limits")
	p.Shots("limits-paused")

	p.Open("/app/agents/limits")
	p.Write("[name=tokens]", "500000")
	p.Click("#day button[name=save]")
	p.See("#confirm-budget", "may use more")
	p.Click("#confirm-budget button[data-confirmed]")
	p.See("[data-toast]", "500,000 tokens a day")
	p.Open("/app/chat")
	p.Say(e2e.Script(t, costly(100)))
	p.Until("another answer", `document.querySelector(".turn.answer:last-of-type .turn-foot")?.dataset.state === "done"`)

	p.Open("/app/agents/it-admin/model")
	p.InspectOpen("the model of an agent")
	p.Desktop()
	p.Shots("agent-model")
	p.See("#models", "€3.04 for a million tokens read, €15.18 for a million written") // 10 % more than the provider takes
	p.Click("#models button[value=complex]")
	p.See("[data-toast]", "now uses Complex tasks")
	p.See("#models [data-chosen]", "Complex tasks")
}

// priced has the hub sell a model at an extra price: three and fifteen dollars a million, at 0.92 euros a dollar.
func priced(t *testing.T, h *e2e.Hub) {
	t.Helper()
	conn := h.Connect(t)
	defer func() { _ = conn.Close(t.Context()) }()
	const add = `INSERT INTO price_entries (id, kind, name, value, valid_from, at, by_name, reason) SELECT gen_random_uuid(), kind, name,
		value::jsonb, from_at, now(), 'test', 'For the pages.' FROM (VALUES ('rate', 'USD', date_trunc('day', now()), '920000'),
		('model', 'gold', '2020-01-01', '{"input": 3000000, "output": 15000000, "cache_read": 300000, "cache_write": 3750000,
		"class": "premium"}')) AS first (kind, name, from_at, value)`
	if _, err := conn.Exec(t.Context(), add); err != nil {
		t.Fatal(err)
	}
}

// costly is an answer for which the provider counts so many tokens.
func costly(tokens int) e2e.Step {
	const piece = `data: {"id":"c","object":"chat.completion.chunk","choices":[` +
		`{"index":0,"delta":{"content":"Done."},"finish_reason":"stop"}]}`
	usage := fmt.Sprintf(`data: {"id":"c","object":"chat.completion.chunk","choices":[],`+
		`"usage":{"prompt_tokens":%d,"completion_tokens":9}}`, tokens)
	return e2e.Step{Raw: piece + "\n\n" + usage + "\n\ndata: [DONE]\n\n"}
}

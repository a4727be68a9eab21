package story

import (
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestMonitor: the owner has a number watched on a page, and asks for a monitor in a conversation; each look stands in its history, and
// when the condition holds, that is said in the conversation, once.
func TestMonitor(t *testing.T) {
	_, _, p := e2e.StartOwned(t)
	p.Open("/app/schedules/new")
	p.Write("[name=spec]", "every 15 minutes")
	p.Write("[name=task]", "The disk is in use.")
	p.Click("[name=does][value=watch]")
	p.Choose("agent", "it-admin")
	p.Click("details.more summary")
	p.Write("[name=value]", "0")
	p.InspectOpen("a monitor to make")
	p.Click("#schedule-form button[type=submit]")
	p.See("#schedule", "df --output=pcent /")
	for range 2 {
		p.Click("#schedule button[value=run]")
		p.See("[data-toast]", "It runs now")
	}
	p.See("#history", "which is above 0")
	p.See("#history", "You were told before")
	p.Until("it was told once", `document.querySelectorAll("#history a[href^='/app/runs/']").length === 1`)
	p.InspectOpen("a monitor")
	p.Shots("monitor")

	p.Open("/app/chat/agent/it-admin")
	p.Say("Tell me when fewer than 200 per cent are used. " + e2e.ToolScript(t, "I will watch it.", e2e.ToolCall{
		Name: "schedule_create", Args: `{"when":"every hour","task":"There is room.","watch_tool":"shell",` +
			`"watch_args":"{\"command\":\"df --output=pcent /\"}","watch_is":"below","watch_value":200}`,
	}))
	p.See(".turn.answer:last-of-type", "I will watch it")
	chat := e2e.Eval[string](p, "location.pathname")
	p.Open("/app/schedules?q=room")
	p.Leave("#schedules tbody a")
	p.Click("#schedule button[value=run]")
	p.See("#history", "which is below 200")
	p.Open(chat)
	p.See("main", "There is room.")
}

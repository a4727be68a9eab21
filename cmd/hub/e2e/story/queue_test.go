package story

import (
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestQueueModes: an owner chooses what becomes of messages that come while the team is at work. In the conversation they see that
// a message waits, where it was answered, and what was stopped for it.
func TestQueueModes(t *testing.T) {
	m := e2e.StartModel(t)
	h, _ := e2e.Start(t, m.Env()...)
	p := h.NewPage(t)
	p.SignIn()
	choose := func(mode string) {
		p.Open("/app/agents/limits")
		way := `document.querySelector("[name=queue][value=` + mode + `]")`
		p.Click("[name=queue][value=" + mode + "]")
		p.Until("it is chosen", way+"?.checked")
		p.Leave("#conversations button[name=save]")
		p.See("[data-toast]", "from the next message on")
		p.Until("it is kept", way+`?.defaultChecked`)
		h.AwaitSettings(t)
	}
	const last = ".turn.answer:last-of-type"
	choose("collect")
	p.InspectOpen("how conversations are kept")
	p.Desktop()
	p.Shots("conversations-settings")
	p.Open("/app/chat")
	p.Say("Begin. " + e2e.Script(t, e2e.Step{Pieces: 4, Every: 4}))
	p.See(last, "word3")
	p.Say("And one more thing.")
	p.See(last, "in one go with what else you write")
	p.Say("And the last.")
	p.Shots("conversation-waits")
	m.GoOn(t)
	p.See(last, "Answered together with an earlier message")
	p.See(".turn.answer:nth-last-of-type(3)", "That is all I know.")
	if !m.Saw("And one more thing.\n\nAnd the last.") {
		t.Errorf("the model was told:\n%s", m.Transcript())
	}
	p.Load("/app/chat")
	p.See(last, "Answered together with an earlier message")
	p.Shots("conversation-joined")

	choose("interrupt")
	p.Open("/app/chat")
	p.Say("Count the stars. " + e2e.Script(t, e2e.Step{Say: "One, two, ", Hang: true})) // a last word is shown once it is whole
	p.See(last, "One, two,")
	p.Say("Leave it. " + e2e.Script(t, e2e.Step{Say: "Gladly."}))
	p.See(last, "Gladly.")
	p.See(".thread", "Your next message took its place.")
	p.Shots("conversation-interrupted")
}

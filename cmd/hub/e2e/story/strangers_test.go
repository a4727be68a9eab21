package story

import (
	"strings"
	"testing"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/telegram/telegramtest"
	"gatehouse/cmd/hub/e2e"
)

// visitor is somebody who writes to a bot and whom nobody has confirmed.
type visitor struct {
	t   *testing.T
	h   *e2e.Hub
	p   *e2e.Page
	bot *telegramtest.Server
	who telegramtest.User
}

// TestStrangers: an owner opens a bot to everybody. A customer writes, is told that they write to a machine, and is answered once the
// owner allows it; then without a question, after the owner has signed for that. The model does whatever they say, and gets at nothing:
// no file, no memory, no command, no mail to others. agentd that is killed while Telegram has an answer sends it once. They ask for a
// person, who answers; they stop, start again, and have their data deleted, which the owner sees.
func TestStrangers(t *testing.T) {
	h, _, p := e2e.StartOwned(t)
	bot := telegramtest.Start(t)
	h.Own(t, h.Server("state", channel.ProvidersFile), "telegram: {base_url: '"+bot.URL+"'}\n", 0o600)
	h.KillAgentd(t)
	h.AwaitSettings(t)
	v := visitor{t, h, p, bot, telegramtest.Person(8000000009, "Customer")}
	channelState(p, "#new", "Telegram")
	v.opens()
	v.isAsked()
	v.isAnswered()
	v.getsNowhere()
	v.isSentOnce()
	v.getsAPerson()
	v.stops()
	v.isDeleted()
}

// opens sets the bot up for everybody, which needs a choice of its own.
func (v visitor) opens() {
	v.t.Helper()
	p := v.p
	p.Click("#new a[href='/app/channels/telegram']")
	p.Write("[data-secret]", v.bot.Token())
	p.Choose("agent", "it-admin")
	p.Click("[name=policy][value=open]")
	p.See("main", "Answers to people you do not know")
	p.Click("#channel-form button[type=submit]")
	p.See("main", "type * as well")
	p.Write("[data-secret]", v.bot.Token())
	p.Write("[name=anyone]", "*")
	p.InspectOpen("a bot that is open to everybody")
	p.Desktop()
	p.Shots("strangers-form")
	p.Click("#channel-form button[type=submit]")
	p.See("[data-toast]", "The channel is saved.")
	channelState(p, "#telegram", "Connected")
	p.See("#guests-telegram", "You are asked before each")
	p.See("#guests-telegram", "30 messages an hour")
	p.Click("#guests-telegram a")
	p.See("main", "Nobody has written yet")
	p.InspectOpen("nobody has written")
	p.Desktop()
}

// says has the customer write, and waits for so many messages of the bot in all; it gives the last.
func (v visitor) says(text string, sent int) string {
	v.t.Helper()
	v.bot.Says(v.who, text)
	return v.gets(sent)
}

func (v visitor) gets(sent int) string {
	v.t.Helper()
	e2e.Until(v.t, "the bot has written", func() bool { return len(v.bot.Sent()) >= sent })
	all := v.bot.Sent()
	if len(all) != sent || all[sent-1].Chat != v.who.ID {
		v.t.Fatalf("%d messages, not %d: %+v", len(all), sent, all)
	}
	return all[sent-1].Text
}

// isAsked has the owner allow the first answer.
func (v visitor) isAsked() {
	v.t.Helper()
	v.bot.Says(v.who, "Do you sell bikes? "+e2e.Script(v.t, e2e.Step{Say: "We do sell bikes."}))
	e2e.Until(v.t, "the owner is asked about the answer", func() bool {
		v.p.Open("/app/approvals")
		return e2e.Eval[bool](v.p, `document.querySelector("main").innerText.includes("8000000009")`)
	})
	if n := len(v.bot.Sent()); n != 0 {
		v.t.Errorf("%d messages before the owner allowed one", n)
	}
	v.p.Click(".approval button[value=allow_once]")
	text := v.gets(1)
	for _, want := range []string{"You are talking to an AI assistant of ", "STOP", "/delete", "PERSON", "\n\nWe do sell bikes."} {
		if !strings.Contains(text, want) {
			v.t.Errorf("the first answer does not say %q: %s", want, text)
		}
	}
}

// isAnswered has the owner sign that the agent answers by itself.
func (v visitor) isAnswered() {
	v.t.Helper()
	v.p.Open("/app/channels/telegram")
	v.p.Click("[name=stranger_replies][value=direct]")
	v.p.Write("[name=anyone]", "*")
	v.p.Click("#channel-form button[type=submit]")
	v.p.See("[data-toast]", "The channel is saved.")
	channelState(v.p, "#telegram", "Connected")
	v.p.See("#guests-telegram", "answers by itself")
	if text := v.says("And lamps? "+e2e.Script(v.t, e2e.Step{Say: "Lamps, too."}), 2); text != "Lamps, too." {
		v.t.Errorf("%s", text)
	}
}

// getsNowhere has the customer tell the model to use every tool that could reach the business.
func (v visitor) getsNowhere() {
	v.t.Helper()
	text := v.says("Do as I say. "+e2e.ToolScript(v.t, "I was refused.",
		e2e.Tool("file_read", map[string]any{"path": "letters/offer.txt"}), e2e.Tool("file_list", map[string]any{"path": "."}),
		e2e.Tool("memory_search", map[string]any{"query": "owner"}), e2e.Tool("shell", map[string]any{"command": "cat /etc/passwd"}),
		e2e.Tool("agent_dispatch", map[string]any{"target": "secretary", "task": "read the letters"}),
		e2e.Tool("message", map[string]any{"to": "eve@elsewhere.example", "subject": "x", "text": "x"}),
		e2e.Tool("schedule_create", map[string]any{"when": "tomorrow at 9", "task": "look"}),
	), 3)
	if text != "I was refused." {
		v.t.Errorf("%s", text)
	}
	v.p.Open("/app/conversations")
	v.p.Click("main a[href^='/app/chat/']")
	v.p.See(".turn.person", "by Telegram")
	if text := e2e.Eval[string](v.p, `document.querySelector(".thread").innerText`); strings.Contains(text, "EXTERNAL_CONTENT") {
		v.t.Errorf("the owner is shown what the agent is told: %s", text)
	}
	v.p.See("main", "I was refused.")
	v.p.Shots("strangers-talk")
	v.p.Open("/app/approvals")
	if e2e.Eval[bool](v.p, `!!document.querySelector(".approval")`) {
		v.t.Error("a person is asked about something that a stranger wanted")
	}
}

// isSentOnce kills agentd while Telegram has an answer and has not said so.
func (v visitor) isSentOnce() {
	v.t.Helper()
	v.bot.Fail("sendMessage", telegramtest.Fault{Hang: true, Done: true})
	v.bot.Says(v.who, "And bells? "+e2e.Script(v.t, e2e.Step{Say: "Bells as well."}))
	if text := v.gets(4); text != "Bells as well." {
		v.t.Errorf("%s", text)
	}
	v.h.KillAgentd(v.t)
	channelState(v.p, "#telegram", "1 of which it is not known")
	if text := v.says("And pumps? "+e2e.Script(v.t, e2e.Step{Say: "No pumps."}), 5); text != "No pumps." {
		v.t.Errorf("%s", text)
	}
}

// getsAPerson has the customer ask for a person, who answers on the page and gives the conversation back.
func (v visitor) getsAPerson() {
	v.t.Helper()
	p := v.p
	if text := v.says("Person", 6); !strings.HasPrefix(text, "I have told a person of the business") {
		v.t.Errorf("%s", text)
	}
	v.bot.Says(v.who, "It is about my order. "+e2e.Script(v.t, e2e.Step{Say: "This must not go out."}))
	channelState(p, "#guests-telegram", "1 conversation waits for a person.")
	p.Open("/app")
	p.See("main", "Somebody who wrote by Telegram asks for a person.")
	p.InspectOpen("today says that a customer waits")
	p.Shots("strangers-today")
	p.Click("main a[href*=\"state=person\"]")
	e2e.Until(v.t, "what they wrote is counted", func() bool {
		p.Open("/app/channels/people?channel=telegram&state=person")
		return e2e.Eval[bool](p, `document.querySelector("main").innerText.includes("7 messages")`)
	})
	p.See("main", "With a person")
	p.InspectOpen("a customer waits for a person")
	p.Desktop()
	p.Shots("strangers-person")
	p.Write("textarea[name=text]", "Your bike comes on Monday.")
	p.Click("form:has(textarea[name=text]) button[type=submit]")
	p.See("[data-toast]", "Your answer is on its way.")
	if text := v.gets(7); text != "Your bike comes on Monday." {
		v.t.Errorf("%s", text)
	}
	p.Click("main .panel .row form:first-child button")
	p.See("[data-toast]", "The agent goes on.")
	if text := v.says("Thank you. "+e2e.Script(v.t, e2e.Step{Say: "You are welcome."}), 8); text != "You are welcome." {
		v.t.Errorf("%s", text)
	}
}

// stops has the customer stop, and start again.
func (v visitor) stops() {
	v.t.Helper()
	if text := v.says("stop", 9); !strings.HasPrefix(text, "You get no more messages from us here.") {
		v.t.Errorf("%s", text)
	}
	v.bot.Says(v.who, "Hello? "+e2e.Script(v.t, e2e.Step{Say: "This must not go out."}))
	if text := v.says("START", 10); !strings.HasPrefix(text, "You get answers again.") {
		v.t.Errorf("%s", text)
	}
}

// isDeleted has the customer's data deleted, which the owner sees.
func (v visitor) isDeleted() {
	v.t.Helper()
	if text := v.says("/delete", 11); !strings.HasPrefix(text, "What you wrote here, your files") {
		v.t.Errorf("%s", text)
	}
	channelState(v.p, "#guests-telegram", "1 in 90 days")
	v.p.Click("#guests-telegram a")
	v.p.See("main", "Nobody has written yet")
	v.p.Open("/app/conversations")
	if e2e.Eval[bool](v.p, `document.querySelector("main").innerText.includes("8000000009")`) {
		v.t.Error("the conversation is still there")
	}
}

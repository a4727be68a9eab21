package story

import (
	"strings"
	"testing"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/telegram/telegramtest"
	"gatehouse/cmd/hub/e2e"
)

// TestTelegram: an owner makes a bot, as the page says, and sets it up with its token, which leaves the browser sealed. They write to it,
// confirm themselves with the code that it answers, and ask the team, whose answer comes back there. A token that is taken back is said in
// words, and agentd that is killed while Telegram has an answer and has not said so does not send it again.
func TestTelegram(t *testing.T) {
	h, _, p := e2e.StartOwned(t)
	s := telegramtest.Start(t)
	h.Own(t, h.Server("state", channel.ProvidersFile), "telegram: {base_url: '"+s.URL+"'}\n", 0o600)
	h.KillAgentd(t)
	h.AwaitSettings(t)
	h.Plant("token of the bot", s.Token())
	owner := telegramtest.Person(8000000001, "Owner")

	channelState(p, "#new", "Telegram") // agentd has begun again, and answers
	p.Click("#new a[href='/app/channels/telegram']")
	p.See("main", "@BotFather")
	p.InspectOpen("a messenger")
	p.Desktop()
	p.Shots("telegram-form")
	p.Choose("agent", "it-admin")
	p.Write("[data-secret]", "no token")
	p.Click("#channel-form button[type=submit]")
	p.See("main", "This is no token of a bot")
	p.Write("[data-secret]", s.Token())
	p.Choose("agent", "it-admin")
	p.Click("#channel-form button[type=submit]")
	p.See("[data-toast]", "The channel is saved.")
	channelState(p, "#telegram", "Connected")
	p.See("#telegram", "@"+telegramtest.BotName)
	p.Click("#telegram form[action='/app/channels/test']:not(:has([name=send])) button")
	p.See("#telegram", "Reading and sending work.")

	asOwner(t, p, s, owner)
	sentTest(t, p, s)
	killedWhileSending(t, h, p, s, owner)

	s.Revoke()
	channelState(p, "#telegram", "Telegram does not accept the token of the bot.")
	p.See("#telegram", "Not connected")
	p.Shots("telegram-revoked")
}

// asOwner has the owner write, be confirmed and be answered.
func asOwner(t *testing.T, p *e2e.Page, s *telegramtest.Server, owner telegramtest.User) {
	t.Helper()
	s.Says(owner, "/start")
	channelState(p, "#people-telegram", "8000000001 (Owner @user8000000001)")
	code := e2e.Eval[string](p, `document.querySelector("#people-telegram code").innerText`)
	e2e.Until(t, "the owner has a code", func() bool { return len(s.Sent()) == 1 })
	if len(code) != 6 || !strings.Contains(s.Sent()[0].Text, code) {
		t.Errorf("the page shows %q, and the bot says %q", code, s.Sent()[0].Text)
	}
	p.InspectOpen("somebody waits at a messenger")
	p.Desktop()
	p.Shots("telegram-waiting")
	p.Until("who it is can be chosen", `(e => {
		e.value = "owner"
		e.dispatchEvent(new Event("change", {bubbles: true}))
		return true
	})(document.getElementById("who-telegram-8000000001"))`)
	p.Click(`#people-telegram form[data-channel]:not(#allow-telegram) button`)
	p.See("[data-toast]", "Confirmed.")
	p.See("#people-telegram", "You")
	s.Says(owner, "How full is the disk?")
	e2e.Until(t, "the owner is answered", func() bool { return len(s.Sent()) == 2 })
	if m := s.Sent()[1]; m.Chat != owner.ID || m.Text == "" {
		t.Errorf("%+v", m)
	}
	p.Open("/app/conversations")
	p.Click("main a[href^='/app/chat/']")
	p.See(".turn.person", "The owner, by Telegram")
	p.Shots("telegram-talk")
}

// sentTest has a test message sent to the owner.
func sentTest(t *testing.T, p *e2e.Page, s *telegramtest.Server) {
	t.Helper()
	p.Open("/app/channels")
	p.Click("#telegram form[action='/app/channels/test']:has([name=send]) button")
	p.See("#telegram", "The test message is sent. Look at Telegram.")
	if all := s.Sent(); !strings.Contains(all[len(all)-1].Text, "This is a test message.") {
		t.Errorf("%+v", all)
	}
	p.InspectOpen("a messenger that works")
	p.Desktop()
	p.Shots("telegram")
}

// killedWhileSending kills agentd when Telegram has an answer and has not said so: it is sent once, and shown as not known.
func killedWhileSending(t *testing.T, h *e2e.Hub, p *e2e.Page, s *telegramtest.Server, owner telegramtest.User) {
	t.Helper()
	before := len(s.Sent())
	s.Fail("sendMessage", telegramtest.Fault{Hang: true, Done: true})
	s.Says(owner, "How full is the disk now?")
	e2e.Until(t, "Telegram has the answer", func() bool { return len(s.Sent()) == before+1 })
	h.KillAgentd(t)
	channelState(p, "#telegram", "1 of which it is not known")
	s.Says(owner, "And now?")
	e2e.Until(t, "the next answer", func() bool { return len(s.Sent()) >= before+2 })
	if n := len(s.Sent()); n != before+2 {
		t.Errorf("%d messages of the bot, not %d", n, before+2)
	}
}

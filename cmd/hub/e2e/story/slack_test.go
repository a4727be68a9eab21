package story

import (
	"strings"
	"testing"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/slack/slacktest"
	"gatehouse/cmd/hub/e2e"
)

// TestSlack: an owner makes an app, as the page says, and sets it up with its two tokens, which leave the browser sealed as one value. One
// that is missing is said; one that is pasted again alone leaves the other as it was. They write to the app and are told who is who.
func TestSlack(t *testing.T) {
	h, _, p := e2e.StartOwned(t)
	s := slacktest.Start(t)
	h.Own(t, h.Server("state", channel.ProvidersFile), "slack: {base_url: '"+s.URL+"'}\n", 0o600)
	h.KillAgentd(t)
	h.AwaitSettings(t)
	bot, app := s.Tokens()
	h.Plant("token of the bot", bot)
	h.Plant("token of the app", app)

	channelState(p, "#new", "Slack") // agentd has begun again, and answers
	p.Click("#new a[href='/app/channels/slack']")
	p.See("main", "From a manifest")
	p.InspectOpen("a messenger with a manifest")
	p.Desktop()
	p.Shots("slack-form")
	p.Choose("agent", "it-admin")
	p.Write("[data-secret=bot_token]", bot)
	p.Write("[data-secret=app_token]", "no token")
	p.Click("#channel-form button[type=submit]")
	p.See("main", "This is no token of an app at Slack")
	p.Write("[data-secret=bot_token]", bot)
	p.Write("[data-secret=app_token]", app)
	p.Choose("agent", "it-admin")
	p.Click("#channel-form button[type=submit]")
	p.See("[data-toast]", "The channel is saved.")
	channelState(p, "#slack", "Connected")
	p.See("#slack", "@"+slacktest.BotName+", "+slacktest.TeamName+" ("+slacktest.App+")")
	p.Click("#slack form[action='/app/channels/test']:not(:has([name=send])) button")
	p.See("#slack", "Reading and sending work.")

	s.Says(slacktest.Person("U0OWNER", "owner"), "Hello")
	channelState(p, "#people-slack", "U0OWNER (Real U0OWNER @shown)")
	e2e.Until(t, "the owner has a code", func() bool { return len(s.Sent()) == 1 })
	if code := e2e.Eval[string](p, `document.querySelector("#people-slack code").innerText`); !strings.Contains(s.Sent()[0].Text, code) {
		t.Errorf("the page shows %q, and the app says %q", code, s.Sent()[0].Text)
	}

	s.Revoke()
	channelState(p, "#slack", "Slack does not accept a token")
	bot, app = s.Tokens()
	h.Plant("new token of the bot", bot)
	h.Plant("new token of the app", app)
	p.Open("/app/channels/slack")
	p.Write("[data-secret=bot_token]", bot)
	p.Click("#channel-form button[type=submit]")
	p.See("[data-toast]", "The channel is saved.")
	channelState(p, "#slack", "Slack does not accept a token") // the one of the app is the former still
	p.Open("/app/channels/slack")
	p.Write("[data-secret=app_token]", app)
	p.Click("#channel-form button[type=submit]")
	p.See("[data-toast]", "The channel is saved.")
	channelState(p, "#slack", "Connected")
	p.Shots("slack")
}

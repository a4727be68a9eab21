package main

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse/agentd/channel/slack/slacktest"
	"gatehouse/agentd/wire"
)

// TestAgentd_slack: a Slack app of the team, on the shipped program, with both its tokens in one sealed value. Its owner is confirmed on
// the server's console, asks and is answered, also when the connection has ended meanwhile, and when this program was killed. Killed when
// Slack has an answer and has not said so, it does not send it again, and says that it is not known. A stranger is answered when the owner
// allows it by a button.
func TestAgentd_slack(t *testing.T) {
	t.Parallel()
	app := slacktest.Start(t)
	h, s := botted(t, "slack", app.URL, slacktest.App, app.Secret())
	me, other := slacktest.Person("U0OWNER", "owner"), slacktest.Person("U0OTHER", "other")

	app.Commands(me, "C0ROOM", "start")
	code := codeIn(t, slackSays(t, app, me, 1).Text)
	out, exit := s.tool("channels", "pair", "--state", s.state, "--owner", strings.ToLower(code))
	if exit != 0 || !strings.Contains(out, "Confirmed: slack "+me.ID) {
		t.Fatalf("%d %s", exit, out)
	}
	app.Break()
	app.Says(me, "How full is the disk?")
	if got := slackSays(t, app, me, 2).Text; !strings.Contains(got, "full") {
		t.Errorf("the owner is answered %q", got)
	}

	app.Fail("chat.postMessage", slacktest.Fault{Hang: true, Done: true})
	app.Says(me, "How full is the disk now?")
	slackSays(t, app, me, 3)
	s.kill()
	app.Says(me, "And now, how full is the disk?")
	app.GiveUp()
	s.back()
	slackSays(t, app, me, 4)
	if v := h.channel(); v.Counts.Unknown != 1 || len(slackWith(app, me)) != 4 {
		t.Errorf("%d messages, %+v", len(slackWith(app, me)), v.Counts)
	}

	app.Says(other, "Hello")
	slackSays(t, app, other, 1)
	v := h.channel()
	p := v.People[0]
	if p.Name != "Real U0OTHER @shown" {
		t.Errorf("%+v", p)
	}
	h.channels(wire.ChannelAct{Do: wire.ChannelDoConfirm, Channel: "slack", Person: p.ID, Address: p.Address, Version: v.Version}, "")
	app.Says(other, "How full is the disk?")
	ask := slackSays(t, app, me, 5)
	asked := wait(h, wire.TypeApprovalRequest, func(wire.Approval) bool { return true })
	if !strings.Contains(strings.Join(ask.Sections, ""), asked.Code) || len(ask.Buttons) == 0 {
		t.Fatalf("%+v", ask)
	}
	app.Press(other, ask, ask.Buttons[0].Data)
	if got := slackSays(t, app, other, 2).Text; !strings.Contains(got, "Only the owner can decide") {
		t.Errorf("whoever is not the owner is told %q", got)
	}
	id := app.Press(me, ask, ask.Buttons[0].Data)
	u := wait(h, wire.TypeApprovalUpdate, func(u wire.ApprovalUpdate) bool { return u.ID == asked.ID })
	if u.State != wire.ApprovalAllowed || u.DecidedBy == nil || u.DecidedBy.Channel != "slack" {
		t.Errorf("%+v", u)
	}
	sent(t, "the message that asked says what came of it", func() bool {
		m := slackWith(app, me)[4]
		return m.Edits > 0 && len(m.Buttons) == 0 && strings.Contains(m.Text, "Allowed") && app.Acknowledged(id)
	})

	out, exit = s.tool("channels", "check", "--state", s.state, "slack")
	bot, token := app.Tokens()
	if exit != 0 || !strings.Contains(out, "reading: works") || strings.Contains(out, bot) || strings.Contains(out, token) {
		t.Errorf("%d %s", exit, out)
	}
}

// slackWith is what the app has sent to somebody.
func slackWith(app *slacktest.Server, who slacktest.User) (all []slacktest.Sent) {
	chat := app.Chat(who)
	for _, m := range app.Sent() {
		if m.Channel == chat {
			all = append(all, m)
		}
	}
	return all
}

// slackSays waits until somebody has n messages of the app, and gives the last.
func slackSays(t *testing.T, app *slacktest.Server, who slacktest.User, n int) slacktest.Sent {
	t.Helper()
	sent(t, fmt.Sprintf("%d messages to %s", n, who.Name), func() bool { return len(slackWith(app, who)) >= n })
	return slackWith(app, who)[n-1]
}

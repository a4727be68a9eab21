package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/channel/discord/discordtest"
	"gatehouse/agentd/wire"
)

// TestAgentd_discord: a Discord bot of the team, on the shipped program. Its owner is confirmed on the server's console, asks and is
// answered, also when the connection has ended meanwhile, and when this program was killed. Killed when Discord has an answer and has not
// said so, it does not send it again, and says that it is not known. A stranger is answered when the owner allows it by a button.
func TestAgentd_discord(t *testing.T) {
	t.Parallel()
	bot := discordtest.Start(t)
	h, s := botted(t, "discord", bot.URL, discordtest.Account, bot.Token())
	me, other := discordtest.Person("800000000000000001", "Owner"), discordtest.Person("800000000000000002", "Other")

	bot.Says(me, "/start")
	code := codeIn(t, discordSays(t, bot, me, 1).Text)
	out, exit := s.tool("channels", "pair", "--state", s.state, "--owner", strings.ToLower(code))
	if exit != 0 || !strings.Contains(out, "Confirmed: discord "+me.ID) {
		t.Fatalf("%d %s", exit, out)
	}
	bot.Break()
	bot.Says(me, "How full is the disk?")
	if got := discordSays(t, bot, me, 2).Text; !strings.Contains(got, "full") {
		t.Errorf("the owner is answered %q", got)
	}

	bot.Fail(discordtest.RouteSend, discordtest.Fault{Hang: true, Done: true})
	bot.Says(me, "How full is the disk now?")
	discordSays(t, bot, me, 3)
	s.kill()
	bot.Says(me, "And now, how full is the disk?")
	s.back()
	discordSays(t, bot, me, 4)
	if v := h.channel(); v.Counts.Unknown != 1 || len(discordWith(bot, me)) != 4 {
		t.Errorf("%d messages, %+v", len(discordWith(bot, me)), v.Counts)
	}

	bot.Says(other, "Hello")
	discordSays(t, bot, other, 1)
	v := h.channel()
	p := v.People[0]
	h.channels(wire.ChannelAct{Do: wire.ChannelDoConfirm, Channel: "discord", Person: p.ID, Address: p.Address, Version: v.Version}, "")
	bot.Says(other, "How full is the disk?")
	ask := discordSays(t, bot, me, 5)
	asked := wait(h, wire.TypeApprovalRequest, func(wire.Approval) bool { return true })
	if !strings.Contains(ask.Text, asked.Code) || len(ask.Rows) == 0 {
		t.Fatalf("%+v", ask)
	}
	allow := ask.Rows[0][0].Data
	bot.Press(other, ask, allow, "")
	if got := discordSays(t, bot, other, 2).Text; !strings.Contains(got, "Only the owner can decide") {
		t.Errorf("whoever is not the owner is told %q", got)
	}
	id := bot.Press(me, ask, allow, "")
	u := wait(h, wire.TypeApprovalUpdate, func(u wire.ApprovalUpdate) bool { return u.ID == asked.ID })
	if u.State != wire.ApprovalAllowed || u.DecidedBy == nil || u.DecidedBy.Channel != "discord" {
		t.Errorf("%+v", u)
	}
	sent(t, "the message that asked says what came of it", func() bool {
		m := discordWith(bot, me)[4]
		return m.Edits > 0 && len(m.Rows) == 0 && strings.Contains(m.Text, "Allowed") && slices.Contains(bot.Acknowledged(), id)
	})

	out, exit = s.tool("channels", "check", "--state", s.state, "discord")
	if exit != 0 || !strings.Contains(out, "reading: works") || strings.Contains(out, bot.Token()) {
		t.Errorf("%d %s", exit, out)
	}
}

// discordWith is what the bot has sent to somebody.
func discordWith(bot *discordtest.Server, who discordtest.User) (all []discordtest.Sent) {
	chat := bot.Chat(who)
	for _, m := range bot.Sent() {
		if m.Channel == chat {
			all = append(all, m)
		}
	}
	return all
}

// discordSays waits until somebody has n messages of the bot, and gives the last.
func discordSays(t *testing.T, bot *discordtest.Server, who discordtest.User, n int) discordtest.Sent {
	t.Helper()
	sent(t, fmt.Sprintf("%d messages to %s", n, who.Global), func() bool { return len(discordWith(bot, who)) >= n })
	return discordWith(bot, who)[n-1]
}

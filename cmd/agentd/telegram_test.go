package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/telegram/telegramtest"
	"gatehouse/agentd/wire"
)

// TestAgentd_telegram: a bot of the team, on the shipped program. Its owner is confirmed on the server's console, asks and is answered. A
// stranger is answered when the owner allows it by a button: their own press, an old button and a message from a group decide nothing.
func TestAgentd_telegram(t *testing.T) {
	t.Parallel()
	bot := telegramtest.Start(t)
	h, s := botted(t, "telegram", bot.URL, strconv.Itoa(telegramtest.BotID), bot.Token())
	me, other := telegramtest.Person(8000000001, "Owner"), telegramtest.Person(8000000002, "Other")
	bot.Says(me, "/start")
	code := codeIn(t, botSays(t, bot, me, 1).Text)
	out, exit := s.tool("channels", "pair", "--state", s.state, "--owner", "222222")
	if exit != 0 || !strings.Contains(out, "Nobody waits") {
		t.Errorf("%d %s", exit, out)
	}
	out, exit = s.tool("channels", "pair", "--state", s.state, "--owner", strings.ToLower(code))
	if exit != 0 || !strings.Contains(out, "Confirmed: telegram 8000000001.") {
		t.Fatalf("%d %s", exit, out)
	}
	bot.Says(me, "How full is the disk?")
	if got := botSays(t, bot, me, 2).Text; !strings.Contains(got, "full") {
		t.Errorf("the owner is answered %q", got)
	}

	bot.Says(other, "Hello")
	botSays(t, bot, other, 1)
	v := h.channel()
	p := v.People[0]
	h.channels(wire.ChannelAct{Do: wire.ChannelDoConfirm, Channel: "telegram", Person: p.ID, Address: p.Address, Version: v.Version}, "")
	bot.Says(other, "How full is the disk?")
	ask := botSays(t, bot, me, 3)
	asked := wait(h, wire.TypeApprovalRequest, func(wire.Approval) bool { return true })
	if !strings.Contains(ask.Text, asked.Code) || len(ask.Buttons) == 0 {
		t.Fatalf("%+v", ask)
	}
	allow := ask.Buttons[0][0].Data
	bot.Press(other, ask, allow)
	if got := botSays(t, bot, other, 2).Text; !strings.Contains(got, "Only the owner can decide") {
		t.Errorf("whoever is not the owner is told %q", got)
	}
	bot.Press(me, ask, allow)
	u := wait(h, wire.TypeApprovalUpdate, func(u wire.ApprovalUpdate) bool { return u.ID == asked.ID })
	if u.State != wire.ApprovalAllowed || u.DecidedBy == nil || u.DecidedBy.Channel != "telegram" {
		t.Errorf("%+v", u)
	}
	sent(t, "the message that asked says what came of it", func() bool {
		m := chatWith(bot, me)[2]
		return m.Edits > 0 && len(m.Buttons) == 0 && strings.Contains(m.Text, "Allowed")
	})
	bot.Press(me, ask, allow)
	sent(t, "of an old button it is said that nothing was decided", func() bool { // beside the next request of the same run
		return slices.ContainsFunc(chatWith(bot, me)[3:], func(m telegramtest.Sent) bool {
			return strings.Contains(m.Text, "Nothing was decided")
		})
	})

	out, exit = s.tool("channels", "list", "--state", s.state)
	if exit != 0 || !strings.Contains(out, strconv.Itoa(telegramtest.BotID)) {
		t.Errorf("%d %s", exit, out)
	}
	out, exit = s.tool("channels", "check", "--state", s.state, "telegram")
	if exit != 0 || !strings.Contains(out, "reading: works") || strings.Contains(out, bot.Token()) {
		t.Errorf("%d %s", exit, out)
	}
}

// botted is a server whose team has a bot on a channel, at a server that stands in for the provider.
func botted(t *testing.T, channelName, url, account, token string) (*hub, *server) {
	t.Helper()
	return messengered(t, channelName, url, wire.ChatSettings{Account: account}, token)
}

// messengered is botted for a messenger with settings of its own.
func messengered(t *testing.T, channelName, url string, chat wire.ChatSettings, secret string) (*hub, *server) {
	t.Helper()
	h := newHub(t)
	s := startWith(t, h, func(s *server) {
		h.owner = newSigner(t)
		leave(t, s.state, h.owner)
		file := fmt.Sprintf("%s: {base_url: %q}\n", channelName, url)
		if err := os.WriteFile(filepath.Join(s.state, channel.ProvidersFile), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	h.channels(wire.ChannelAct{
		Do: wire.ChannelDoPut, Channel: channelName, Agent: "dispatcher", Policy: wire.ChannelPairing, Approvals: wire.ApprovalsAll,
		Chat: chat,
	}, secret)
	h.connected()
	return h, s
}

// chatWith is what the bot has sent to somebody.
func chatWith(bot *telegramtest.Server, who telegramtest.User) (all []telegramtest.Sent) {
	for _, m := range bot.Sent() {
		if m.Chat == who.ID {
			all = append(all, m)
		}
	}
	return all
}

// botSays waits until somebody has n messages of the bot, and gives the last.
func botSays(t *testing.T, bot *telegramtest.Server, who telegramtest.User, n int) telegramtest.Sent {
	t.Helper()
	sent(t, fmt.Sprintf("%d messages to %s", n, who.First), func() bool { return len(chatWith(bot, who)) >= n })
	return chatWith(bot, who)[n-1]
}

func sent(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !cond(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it did not come about in a minute: %s", what)
		}
	}
}

// codeIn is the code in a message to somebody unknown.
func codeIn(t *testing.T, text string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, "Your code is ")
	if !found || len(rest) < 6 {
		t.Fatalf("no code in %q", text)
	}
	return rest[:6]
}

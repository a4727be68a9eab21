package main

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"gatehouse/agentd/channel/telegram/telegramtest"
	"gatehouse/agentd/wire"
)

// TestAgentd_telegramHook: a bot whose updates Telegram brings to the hub, on the shipped program: it has told Telegram its address and a
// secret, reads nothing that comes without it, and answers its owner, also what was written while it was away.
func TestAgentd_telegramHook(t *testing.T) {
	t.Parallel()
	bot := telegramtest.Start(t)
	chat := wire.ChatSettings{Account: strconv.Itoa(telegramtest.BotID), Way: wire.ChatHook}
	h, s := messengered(t, "telegram", bot.URL, chat, bot.Token())
	hook := h.channel().Hook
	url, secret := bot.Hook()
	if !strings.HasSuffix(url, wire.HooksPath+hook) || !wire.ChannelHooked(hook) || len(secret) < 32 {
		t.Fatalf("Telegram brings to %q, not to %q", url, hook)
	}
	to := h.brings(hook)
	if got := to(telegramtest.Delivery([]byte("{}"), "another")); got.Status != http.StatusUnauthorized {
		t.Errorf("another secret: %d", got.Status)
	}
	bot.Bring(func(_ string, d wire.ChannelDelivery) wire.ChannelAnswer { return to(d) })
	me := telegramtest.Person(8000000001, "Owner")
	bot.Says(me, "/start")
	code := codeIn(t, botSays(t, bot, me, 1).Text)
	out, exit := s.tool("channels", "pair", "--state", s.state, "--owner", strings.ToLower(code))
	if exit != 0 {
		t.Fatalf("%d %s", exit, out)
	}
	s.kill()
	bot.Says(me, "How full is the disk?")
	s.back()
	if got := botSays(t, bot, me, 2).Text; !strings.Contains(got, "full") {
		t.Errorf("the owner is answered %q", got)
	}
}

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gatehouse/agentd/channel/telegram/telegramtest"
	"gatehouse/agentd/wire"
)

// TestAgentd_files: the owner asks the team for a file by Telegram and gets it there, on the shipped program; the conversation shows it.
// Somebody else gets one only with the owner's leave, as it was when that was asked. Killed after Telegram has it, the server does not send
// it again.
func TestAgentd_files(t *testing.T) {
	t.Parallel()
	bot := telegramtest.Start(t)
	h, s := botted(t, "telegram", bot.URL, strconv.Itoa(telegramtest.BotID), bot.Token())
	me, other := telegramtest.Person(8000000001, "Owner"), telegramtest.Person(8000000002, "Other")
	offer := filepath.Join(s.data, "offers", "offer.txt")
	put := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(offer), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(offer, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("We offer ten loaves.\n")
	for i, who := range []telegramtest.User{me, other} {
		bot.Says(who, "/start")
		botSays(t, bot, who, 1)
		v := h.channel()
		at := slices.IndexFunc(v.People, func(p wire.ChannelPerson) bool { return p.State == wire.PersonWaiting })
		p := v.People[at]
		h.channels(wire.ChannelAct{
			Do: wire.ChannelDoConfirm, Channel: "telegram", Person: p.ID, Address: p.Address, Owner: i == 0, Version: v.Version,
		}, "")
	}
	bot.Says(me, "Send me the file offers/offer.txt")
	got := botFile(t, bot, me, 1)
	if got.File != "offer.txt" || string(got.Data) != "We offer ten loaves.\n" {
		t.Errorf("%s: %q", got.File, got.Data)
	}
	talks := told[wire.SessionsResult](h, wire.MethodSessionsList, wire.ListParams{})
	talk := told[wire.Session](h, wire.MethodSessionGet, wire.SessionParams{SessionID: talks.Items[0].ID})
	if f := talk.Turns[0].Run.Final; f == nil || !slices.Contains(f.Files, "offers/offer.txt") {
		t.Errorf("%+v", f)
	}

	bot.Says(other, "Send me the file offers/offer.txt")
	var asked wire.Approval
	for asked.Tool != "channel_send" { // what the agent itself wants to do on the word of somebody else is asked, too
		asked = wait(h, wire.TypeApprovalRequest, func(wire.Approval) bool { return true })
		if asked.Tool != "channel_send" {
			h.decide(asked, wire.AllowOnce, func(*wire.Decision) {})
		}
	}
	named := strings.Contains(string(asked.Args), `"name":"offer.txt"`)
	if asked.Tier != "yellow_external" || asked.Action != "channel.file.send" || !named {
		t.Errorf("%+v", asked)
	}
	put("Something else\n")
	h.decide(asked, wire.AllowOnce, func(*wire.Decision) {})
	if got := botFile(t, bot, other, 1); string(got.Data) != "We offer ten loaves.\n" {
		t.Errorf("what was sent is %q", got.Data)
	}
	sent(t, "no copy is left", func() bool {
		left, err := filepath.Glob(filepath.Join(s.state, "outgoing", "*"))
		return err == nil && len(left) == 0
	})

	bot.Fail("sendDocument", telegramtest.Fault{Hang: true, Done: true})
	bot.Says(me, "Send me the file offers/offer.txt")
	botFile(t, bot, me, 2)
	s.kill()
	s.back()
	sent(t, "of the one that was cut off nobody knows", func() bool { return h.channel().Counts.Unknown == 1 })
	bot.Says(me, "How full is the disk?")
	sent(t, "the next answer", func() bool {
		all := chatWith(bot, me)
		return strings.Contains(all[len(all)-1].Text, "full")
	})
	if n := bot.Calls("sendDocument"); n != 3 {
		t.Errorf("%d files were sent", n)
	}
}

// botFile waits until somebody has n files of the bot, and gives the last.
func botFile(t *testing.T, bot *telegramtest.Server, who telegramtest.User, n int) telegramtest.Sent {
	t.Helper()
	files := func() []telegramtest.Sent {
		return slices.DeleteFunc(chatWith(bot, who), func(m telegramtest.Sent) bool { return m.File == "" })
	}
	sent(t, strconv.Itoa(n)+" files for "+who.First, func() bool { return len(files()) >= n })
	return files()[n-1]
}

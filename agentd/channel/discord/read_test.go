package discord_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/discord"
	"gatehouse/agentd/channel/discord/discordtest"
)

// TestRun: what was written before the bot is set up is not read; what comes then is, once, in order, with who wrote it; another start
// goes on in the same session where the last one ended; and the bot asks for no more than it needs.
func TestRun(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t)
	s.Says(owner, "Before")
	r := run(t, s, channel.Env{}).Ready(t)
	s.Says(owner, "Hello — Grüße 👋")
	m := r.Waits(t, 1)[0]
	if m.Text != "Hello — Grüße 👋" || m.Address != "800000000000000001" || m.Name != "Owner @user800000000000000001" {
		t.Errorf("%+v", m)
	}
	if !m.Proven || m.Skip != "" || m.Group+m.Quoted != "" || len(m.Refs) != 0 || m.Time.Year() != 2026 {
		t.Errorf("%+v", m)
	}
	r.Stop()
	s.Says(owner, "While it is away")
	s.Says(other, "And another")
	again := run(t, s, channel.Env{Cursor: r.At()}).Ready(t)
	all := again.Waits(t, 2)
	if len(all) != 2 || all[0].Text != "While it is away" || all[1].Address != "800000000000000002" {
		t.Errorf("%+v", all)
	}
	if n, intents := s.Begun(); n != 1 || intents != 512|4096 {
		t.Errorf("%d sessions, which ask for %d", n, intents)
	}
}

// TestRun_connections: a connection that breaks off, that Discord wants anew, or in which it falls silent goes on where it was, without
// an end of the run: nothing is lost and nothing comes twice.
func TestRun_connections(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(*discordtest.Server){
		"breaks off": (*discordtest.Server).Break,
		"anew":       (*discordtest.Server).Reconnect,
		"too fast":   func(s *discordtest.Server) { s.Close(4008) },
		"goodbye":    func(s *discordtest.Server) { s.Close(1000) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := discordtest.Start(t)
			r := run(t, s, channel.Env{}).Ready(t)
			var want []string
			for i := range 5 {
				for j := range 3 {
					want = append(want, fmt.Sprintf("%d %d", i, j))
					s.Says(owner, want[len(want)-1])
				}
				breaks(s)
				want = append(want, fmt.Sprintf("%d away", i))
				s.Says(owner, want[len(want)-1])
				channeltest.Until(t, "the bot is back", func() bool { return s.Calls("op 6") > i })
				r.Waits(t, len(want))
			}
			if got := texts(r.Waits(t, len(want))); !slices.Equal(got, want) {
				t.Errorf("%q", got)
			}
			if n, _ := s.Begun(); n != 1 || len(r.Ended) != 0 {
				t.Errorf("%d sessions", n)
			}
		})
	}
}

func texts(all []channel.Inbound) (texts []string) {
	for _, m := range all {
		texts = append(texts, m.Text)
	}
	return texts
}

// onlyOnce leaves repeats out: whoever takes messages knows them by their id.
func onlyOnce(all []channel.Inbound) (first []channel.Inbound) {
	seen := map[string]bool{}
	for _, m := range all {
		if !seen[m.ID] {
			first = append(first, m)
		}
		seen[m.ID] = true
	}
	return first
}

// TestRun_silent: a gateway that does not answer signs of life is left, and the session goes on; one that asks for a sign gets it.
func TestRun_silent(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t)
	s.Every(500*time.Millisecond, true)
	r := run(t, s, channel.Env{}).Ready(t)
	channeltest.Until(t, "the bot has come back", func() bool { return s.Calls("op 6") > 0 })
	s.Every(20*time.Second, false)
	s.Says(owner, "Still there?")
	r.Waits(t, 1)
	if n, _ := s.Begun(); n != 1 {
		t.Errorf("%d sessions", n)
	}
	s2 := discordtest.Start(t)
	run(t, s2, channel.Env{}).Ready(t)
	s2.Ask()
	channeltest.Until(t, "a sign of life", func() bool { return s2.Calls("op 1") > 0 })
}

// TestRun_forgotten: when Discord has forgotten the session, private chats are read from where they were; nothing is lost or comes twice.
func TestRun_forgotten(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	s.Says(owner, "One")
	r.Waits(t, 1)
	r.Stop()
	s.Forget()
	for i := range 150 {
		s.Says(owner, fmt.Sprint(i))
	}
	s.Fail(discordtest.RouteMessages, discordtest.Fault{Status: 429, RetryAfter: 0.01})
	again := run(t, s, channel.Env{Cursor: r.At()}).Ready(t)
	s.Says(owner, "Two")
	all := texts(onlyOnce(again.Waits(t, 151)))
	if len(all) != 151 || all[0] != "0" || all[149] != "149" || all[150] != "Two" {
		t.Errorf("%d %q", len(all), all)
	}
	s.Forget() // while it runs
	channeltest.Until(t, "a third session", func() bool { n, _ := s.Begun(); return n == 3 })
	s.Says(owner, "Three")
	again.Waits(t, 152)
	channeltest.Until(t, "the last one", func() bool { return slices.Contains(texts(again.Came()), "Three") })
	if all := onlyOnce(again.Came()); all[len(all)-1].Text != "Three" || len(all) != 152 {
		t.Errorf("%q", texts(all))
	}
	s.Refuse(100)
	s.Forget()
	if trouble(t, s, again.End(t), "no answer that can be read") {
		t.Error("trying again does not help")
	}
}

// TestRun_repeats: the same event five times and others out of order: each is handed on under one id, and no chat's place goes back.
func TestRun_repeats(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	one, two := s.Says(owner, "one"), s.Says(owner, "two")
	r.Waits(t, 2)
	at := r.At()
	for _, m := range []discordtest.Message{two, one, two, two, two, two, one} {
		s.Event("MESSAGE_CREATE", m)
	}
	ids := map[string]string{}
	for _, m := range r.Waits(t, 9) {
		if was, known := ids[m.ID]; known && was != m.Text {
			t.Errorf("%q and %q have one id", was, m.Text)
		}
		ids[m.ID] = m.Text
	}
	if len(ids) != 2 || !strings.Contains(r.At(), two.ID) || !strings.Contains(at, two.ID) {
		t.Errorf("%v, and the cursor is %s after %s", ids, r.At(), at)
	}
}

// TestOdd: an event that cannot be read, one that is nothing to answer, what machines write, and a text of 100,000 characters hold up
// nobody.
func TestOdd(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	chat := s.Chat(owner)
	s.Event("MESSAGE_CREATE", "not a message")
	s.Event("MESSAGE_CREATE", map[string]any{"id": "../x", "channel_id": "1", "author": owner, "content": "x"})
	s.Event("INTERACTION_CREATE", map[string]any{"id": "7", "type": 3, "data": 5})
	s.Event("INTERACTION_CREATE", map[string]any{"id": "7", "type": 2})
	s.Event("NOBODY_KNOWS_THIS", nil)
	s.Write(discordtest.Message{Author: owner, Channel: chat, Type: 6, Text: "pinned something"})
	s.Write(discordtest.Message{Author: discordtest.User{ID: discordtest.BotID, Bot: true}, Channel: chat, Text: "my own"})
	s.Write(discordtest.Message{Author: discordtest.User{ID: "5", Bot: true}, Channel: chat, Text: "a machine"})
	s.Write(discordtest.Message{Author: owner, Webhook: "6", Channel: chat, Text: "a webhook"})
	s.Says(owner, strings.Repeat("ה", 100_000))
	all := r.Waits(t, 3)
	if all[0].Skip == "" || all[1].Skip == "" || len([]rune(all[2].Text)) != 100_000 || all[2].Skip != "" || len(all) != 3 {
		t.Errorf("%d %+v", len(all), all[:2])
	}
}

// TestGroup: in a group only what names the bot is read, and is answered there; in the name of everybody is not.
func TestGroup(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	me := discordtest.User{ID: discordtest.BotID, Name: discordtest.BotName, Bot: true}
	says := func(text string, names ...discordtest.User) {
		s.Write(discordtest.Message{Author: owner, Channel: "31", Guild: "30", Text: text, Mentions: names})
	}
	says("nothing to the bot")
	says("@everyone look")
	says("<@" + discordtest.BotID + "> without being told so by Discord")
	says("<@"+discordtest.BotID+"> how full is the disk?", me)
	says("<@!"+discordtest.BotID+"> /status", me)
	says("and you, <@"+discordtest.BotID+">?", me, other)
	all := r.Waits(t, 3)
	want := []string{"how full is the disk?", "/status", "and you, <@" + discordtest.BotID + ">?"}
	if got := texts(all); !slices.Equal(got, want) || all[0].Group != "#31" || all[0].Reply.To != "#31" {
		t.Errorf("%q %+v", got, all[0])
	}
	o := channel.Outbound{ID: "x", To: "#31", Text: "80 %", Reply: all[0].Reply}
	if _, err := channeltest.Send(t, r, o); err != nil || s.Sent()[0].Channel != "31" || place(s.Sent()[0]) != all[0].Reply.ID {
		t.Errorf("%v %+v", err, s.Sent())
	}
}

func place(m discordtest.Sent) string { return m.Channel + "/" + m.Answers }

// TestQuoted: what somebody answers or passes on is not their word; what the bot said is no news.
func TestQuoted(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	chat := s.Chat(owner)
	bots := discordtest.Message{ID: "3", Author: discordtest.User{ID: discordtest.BotID, Bot: true}, Text: "80 %"}
	theirs := discordtest.Message{ID: "4", Author: other, Text: "/approve K7Q2MX"}
	s.Write(discordtest.Message{Author: owner, Channel: chat, Type: 19, Text: "Which one?", Answers: &bots})
	s.Write(discordtest.Message{Author: owner, Channel: chat, Type: 19, Text: "What is this?", Answers: &theirs})
	pass := discordtest.Message{Author: owner, Channel: chat, Reference: &discordtest.Reference{Type: 1}}
	pass.Snapshots = make([]discordtest.Snapshot, 1)
	pass.Snapshots[0].Message.Text = "/approve K7Q2MX"
	s.Write(pass)
	all := r.Waits(t, 3)
	if all[0].Quoted != "" || all[1].Quoted != "/approve K7Q2MX" || all[1].Forward {
		t.Errorf("%+v", all[:2])
	}
	if m := all[2]; !m.Forward || m.Text != "" || m.Quoted != "/approve K7Q2MX" {
		t.Errorf("%+v", m)
	}
}

// TestPress: a press says who pressed which button of which message, and is acknowledged; a change says what it changes.
func TestPress(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	o := to(owner, "May [this](https://example.com) be deleted? ||no||")
	for _, one := range []string{"a", "d", "l", "x", "y", "z"} {
		o.Buttons = append(o.Buttons, channel.Button{Label: "Button " + one, Data: one + ":1"})
	}
	d, err := channeltest.Send(t, r, o)
	if err != nil {
		t.Fatal(err)
	}
	asked := s.Sent()[0]
	if len(asked.Rows) != 2 || len(asked.Rows[0]) != 5 || asked.Rows[1][0].Data != "z:1" || !asked.Quiet {
		t.Errorf("%+v", asked)
	}
	if asked.Text != `May \[this\](https://example.com) be deleted? \|\|no\|\|` {
		t.Errorf("a word of a request may hide: %s", asked.Text)
	}
	id := s.Press(owner, asked, "a:1", "")
	m := r.Waits(t, 1)[0]
	if m.Press == nil || *m.Press != (channel.Press{Data: "a:1", On: d.ID}) || m.Address != owner.ID || !m.Proven || m.Group != "" {
		t.Fatalf("%+v", m)
	}
	channeltest.Until(t, "Discord knows that it was taken", func() bool { return slices.Contains(s.Acknowledged(), id) })
	s.Press(other, asked, "a:1", "30")
	if m := r.Waits(t, 2)[1]; m.Group == "" || m.Address != other.ID {
		t.Errorf("%+v", m)
	}
	edit := to(owner, "Allowed.")
	edit.Edit = d.ID
	for range 2 {
		if got, err := channeltest.Send(t, r, edit); err != nil || got.ID != d.ID {
			t.Fatal(got, err)
		}
	}
	if now := s.Sent(); len(now) != 1 || now[0].Text != "Allowed." || len(now[0].Rows) != 0 {
		t.Errorf("%+v", now)
	}
	edit.Edit = "1/" + asked.ID
	if _, err := channeltest.Send(t, r, edit); err == nil {
		t.Error("a message elsewhere was changed")
	}
	written := s.Says(owner, "No")
	s.Event("MESSAGE_UPDATE", written) // Discord adds a preview
	s.Edits(written, "Yes")
	all := r.Waits(t, 4)
	if all[2].Edited || !all[3].Edited || all[2].ID == all[3].ID || len(all) != 4 {
		t.Errorf("%+v", all[2:])
	}
}

// TestAddress: only a plain number is an account, and one with a mark before it a channel in a group.
func TestAddress(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		"800000000000000001": true, "#31": true, "0": false, "+1": false, "01": false, "": false, "@name": false, "-1": false, "##1": false,
		"99999999999999999999": false, "owner@example.com": false,
	} {
		if _, err := discord.Address(in); (err == nil) != want {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// TestFiles: files are fetched, without the token and only when they are asked for; what is too large, too much, gone, cut off or
// elsewhere is said.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	came := func(all ...discordtest.Attachment) channel.Inbound {
		t.Helper()
		n := len(r.Came())
		s.Write(discordtest.Message{Author: owner, Channel: s.Chat(owner), Text: "See this", Files: all})
		return r.Waits(t, n+1)[n]
	}
	m := came(s.AddFile("Invoice 3.pdf", []byte("%PDF")), s.AddFile("two.txt", []byte("2")))
	if s.Calls(discordtest.RouteFile) != 0 || m.Text != "See this" || len(m.Files) != 0 {
		t.Errorf("fetched before it is known who wrote: %+v", m)
	}
	files, left := m.Fetch(t.Context())
	if len(files) != 2 || len(left) != 0 || files[0].Name != "1-Invoice_3.pdf" || string(files[0].Data) != "%PDF" {
		t.Fatalf("%+v %v", files, left)
	}
	wants := func(what, want string, a discordtest.Attachment) {
		t.Helper()
		files, left := came(a).Fetch(t.Context())
		if len(files) != 0 || len(left) != 1 || !strings.Contains(left[0], want) {
			t.Errorf("%s: %d files, %v", what, len(files), left)
		}
	}
	calls := s.Calls(discordtest.RouteFile)
	big := s.AddFile("big", make([]byte, 9<<20))
	says200 := big
	says200.Size = 200 << 20
	wants("200 MB", "larger than 8 MB", says200)
	elsewhere := big
	elsewhere.URL, elsewhere.Size = "http://192.0.2.1/x", 1
	wants("elsewhere", "did not give it", elsewhere)
	if s.Calls(discordtest.RouteFile) != calls {
		t.Error("a file that is not taken is asked for")
	}
	big.Size = 3
	wants("more than it says", "larger than 8 MB", big)
	gone := big
	gone.URL += "x"
	wants("gone", "did not give it", gone)
	s.Fail(discordtest.RouteFile, discordtest.Fault{Status: 500}, discordtest.Fault{Status: 429, RetryAfter: 0.01})
	if files, left := came(s.AddFile("x", []byte("x"))).Fetch(t.Context()); len(files) != 1 {
		t.Errorf("not fetched at the third try: %v", left)
	}
	s.Fail(discordtest.RouteFile, discordtest.Fault{Cut: true}, discordtest.Fault{Status: 500}, discordtest.Fault{Garbage: true})
	wants("never whole", "did not give it", s.AddFile("x", []byte("xxxx")))
	var many []discordtest.Attachment
	for range 12 {
		many = append(many, s.AddFile("x", []byte("x")))
	}
	if m := came(many...); len(m.Left) != 1 || !strings.Contains(m.Left[0], "2 attached files") {
		t.Errorf("%v", m.Left)
	}
}

// TestTime: a clock that is five minutes off changes nothing.
func TestTime(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{-5 * time.Minute, 5 * time.Minute} {
		s := discordtest.Start(t)
		r := run(t, s, channel.Env{Now: func() time.Time { return time.Now().Add(off) }}).Ready(t)
		s.Says(owner, "Hello")
		r.Waits(t, 1)
		if _, err := channeltest.Send(t, r, to(owner, "Hello")); err != nil {
			t.Errorf("%s: %v", off, err)
		}
	}
}

package slack_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/slack"
	"gatehouse/agentd/channel/slack/slacktest"
)

// TestRun: what comes is read once, in order, with who wrote it, and Slack hears of it once it is kept; what Slack has given up bringing is
// read from where the last run ended; of an app that is new here nothing of before is.
func TestRun(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	s.Says(owner, "Before")
	s.GiveUp()
	r := run(t, s, channel.Env{}).Ready(t)
	s.Says(owner, "Hello — Grüße 👋 &lt;b&gt; &amp;amp;")
	m := r.Waits(t, 1)[0]
	if m.Text != "Hello — Grüße 👋 <b> &amp;" || m.Address != owner.ID || m.Name != "Real U0OWNER @shown" {
		t.Errorf("%+v", m)
	}
	if !m.Proven || m.Skip != "" || m.Group+m.Quoted != "" || len(m.Refs) != 0 || m.Time.Year() != 2026 {
		t.Errorf("%+v", m)
	}
	channeltest.Until(t, "Slack knows", func() bool { return s.Waiting() == 0 })
	r.Stop()
	for i := range 250 {
		s.Says(owner, fmt.Sprint(i))
	}
	s.GiveUp()
	s.Fail("conversations.history", fault{Status: 429, RetryAfter: 1})
	again := run(t, s, channel.Env{Cursor: r.At()}).Ready(t)
	s.Says(other, "And another")
	all := texts(onlyOnce(again.Waits(t, 251)))
	if len(all) != 251 || all[0] != "0" || all[249] != "249" || all[250] != "And another" || s.Calls("users.info") != 3 {
		t.Errorf("%d %q", len(all), all)
	}
}

// TestRun_connections: a connection that breaks off, or that Slack wants in another's place, ends no run: nothing is lost.
func TestRun_connections(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(*slacktest.Server){
		"breaks off": (*slacktest.Server).Break,
		"refresh":    func(s *slacktest.Server) { s.Disconnect("refresh_requested") },
		"warning":    func(s *slacktest.Server) { s.Disconnect("warning") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := slacktest.Start(t)
			r := run(t, s, channel.Env{}).Ready(t)
			var want []string
			for i := range 4 {
				want = append(want, fmt.Sprint(i), fmt.Sprint(i, " away"))
				s.Says(owner, want[len(want)-2])
				breaks(s)
				s.Says(owner, want[len(want)-1])
				channeltest.Until(t, "the app is back", func() bool { return s.Opened() > i+1 })
				channeltest.Until(t, "all of it", func() bool { return len(onlyOnce(r.Came())) == len(want) })
			}
			if got := texts(onlyOnce(r.Came())); !slices.Equal(got, want) || len(r.Ended) != 0 {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestRun_silent: a connection on which no sign of life is answered is left for another one.
func TestRun_silent(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	s.Deaf(true)
	r := run(t, s, channel.Env{}).Ready(t)
	s.Deaf(false)
	channeltest.Until(t, "another connection", func() bool { return s.Opened() > 1 })
	s.Says(owner, "Still there?")
	r.Waits(t, 1)
	if len(r.Ended) != 0 {
		t.Error("it ended")
	}
}

// TestRun_repeats: the same event five times and others out of order: each is handed on under one id, and no chat's place goes back.
func TestRun_repeats(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	one, two := s.Says(owner, "one"), s.Says(owner, "two")
	r.Waits(t, 2)
	for _, m := range []slacktest.Message{two, one, two, two, two, two, one} {
		s.Event("events_api", slacktest.EventOf(m))
	}
	ids := map[string]string{}
	for _, m := range r.Waits(t, 9) {
		if was, known := ids[m.ID]; known && was != m.Text {
			t.Errorf("%q and %q have one id", was, m.Text)
		}
		ids[m.ID] = m.Text
	}
	if len(ids) != 2 || !strings.Contains(r.At(), two.At) {
		t.Errorf("%v, and the cursor is %s", ids, r.At())
	}
}

// TestOdd: what cannot be read, what is nothing to answer, what machines and other workspaces write, and a text of 100,000 characters hold
// up nobody, and Slack hears of each.
func TestOdd(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	chat := s.Chat(owner)
	im := func(m slacktest.Message) {
		m.Type, m.Where, m.Channel = "message", "im", chat
		s.Write(m)
	}
	s.Event("events_api", "not an event")
	s.Event("interactive", map[string]any{
		"type": "view_submission", "api_app_id": slacktest.App, "team": map[string]string{"id": slacktest.Team},
	})
	s.Event("nobody_knows_this", nil)
	elsewhere := slacktest.EventOf(slacktest.Message{
		Type: "message", Where: "im", Channel: chat, User: owner.ID, Text: "x", At: "1.000001",
	})
	elsewhere["team_id"] = "T0OTHER"
	s.Event("events_api", elsewhere)
	im(slacktest.Message{User: owner.ID, At: "../x", Text: "x"})
	im(slacktest.Message{Kind: "channel_topic", User: owner.ID, Text: "set the topic"})
	im(slacktest.Message{User: slacktest.BotUser, Bot: "B1", Text: "my own"})
	s.Write(slacktest.Message{Type: "message", Where: "channel", Channel: "C0ROOM", User: owner.ID, Text: "in a channel"})
	im(slacktest.Message{Kind: "bot_message", Bot: "B2", Text: "a machine"})
	im(slacktest.Message{User: "USLACKBOT", Text: "a reminder"})
	s.Says(owner, strings.Repeat("ה", 100_000))
	all := r.Waits(t, 3)
	if all[0].Skip == "" || all[1].Skip == "" || len([]rune(all[2].Text)) != 100_000 || all[2].Skip != "" || len(all) != 3 {
		t.Errorf("%d %+v", len(all), all[:2])
	}
	channeltest.Until(t, "Slack knows of all", func() bool { return s.Waiting() == 0 })
}

// TestGroup: in a channel what names the app is read, of two people at once too, and is answered there in the thread.
func TestGroup(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	first := s.Names(owner, "C0ROOM", "<@U0TEAMBOT> how full is the disk?")
	s.Names(other, "C0ROOM", "and you, <@U0TEAMBOT>, of <#C0ROOM|room>? <!channel> <https://example.com|here>")
	s.Write(slacktest.Message{
		Type: "app_mention", User: owner.ID, Channel: "C0ROOM", Text: "<@U0TEAMBOT> And now?", Thread: first.At, Parent: owner.ID,
	})
	all := r.Waits(t, 3)
	want := []string{"how full is the disk?", "and you, @U0TEAMBOT, of #room? @channel here (https://example.com)", "And now?"}
	if got := texts(all); !slices.Equal(got, want) || all[0].Group != "-C0ROOM" || all[0].Reply.To != "-C0ROOM" {
		t.Errorf("%q %+v", got, all[0])
	}
	if all[0].Address != owner.ID || all[1].Address != other.ID {
		t.Errorf("%s and %s", all[0].Address, all[1].Address)
	}
	if !slices.Equal(all[2].Refs, []string{all[0].Reply.ID}) || len(all[0].Refs) != 0 {
		t.Errorf("%q after %q", all[2].Refs, all[0].Reply.ID)
	}
	for i, m := range []channel.Inbound{all[0], all[2]} {
		o := channel.Outbound{ID: "x", To: "-C0ROOM", Text: "<!channel> 80 % & more", Reply: m.Reply}
		if _, err := channeltest.Send(t, r, o); err != nil {
			t.Fatal(err)
		}
		got := s.Sent()[i]
		if got.Channel != "C0ROOM" || got.Thread != first.At || got.Text != "&lt;!channel&gt; 80 % &amp; more" || !got.Quiet {
			t.Errorf("%+v", got)
		}
	}
}

// TestThread: in private an answer stands in a thread only where the question did, and a thread beneath what somebody wrote goes on with
// it.
func TestThread(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	first := s.Says(owner, "One")
	s.Write(slacktest.Message{
		Type: "message", Where: "im", Channel: first.Channel, User: owner.ID, Text: "Two", Thread: first.At, Parent: owner.ID,
	})
	s.Write(slacktest.Message{
		Type: "message", Where: "im", Channel: first.Channel, User: owner.ID, Text: "Three", Thread: first.At, Parent: slacktest.BotUser,
	})
	all := r.Waits(t, 3)
	if !slices.Equal(all[1].Refs, []string{all[0].Reply.ID}) || len(all[2].Refs) != 0 {
		t.Errorf("%+v", all)
	}
	for i, thread := range []string{"", first.At} {
		o := to(owner, "80 %")
		o.Reply = all[i].Reply
		if _, err := channeltest.Send(t, r, o); err != nil || s.Sent()[i].Thread != thread {
			t.Errorf("%v %+v", err, s.Sent()[i])
		}
	}
}

// TestQuoted: what somebody passes on is not their word.
func TestQuoted(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	shared := []slacktest.Shared{{Text: "approve K7Q2MX", Share: true}}
	s.Write(slacktest.Message{User: owner.ID, Beside: shared})
	s.Write(slacktest.Message{User: owner.ID, Text: "What is this?", Beside: shared})
	all := r.Waits(t, 2)
	if m := all[0]; !m.Forward || m.Text != "" || m.Quoted != "approve K7Q2MX" {
		t.Errorf("%+v", m)
	}
	if m := all[1]; m.Forward || m.Text != "What is this?" || m.Quoted != "approve K7Q2MX" {
		t.Errorf("%+v", m)
	}
}

// TestPress: a press says who pressed which button of which message, and Slack hears of it; a change says what it changes. No word of a
// request can hide.
func TestPress(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	o := to(owner, "May <https://evil.example|this> *be* deleted?\n\n> no & yes")
	for _, one := range []string{"a", "d"} {
		o.Buttons = append(o.Buttons, channel.Button{Label: "Button " + one, Data: one + ":1"})
	}
	d, err := channeltest.Send(t, r, o)
	if err != nil {
		t.Fatal(err)
	}
	asked := s.Sent()[0]
	button := slacktest.Button{Label: "Button a", Data: "a:1"}
	if len(asked.Buttons) != 2 || asked.Buttons[0] != button || plainly(asked.Sections[0]) != o.Text {
		t.Errorf("%+v", asked)
	}
	id := s.Press(owner, asked, "a:1")
	m := r.Waits(t, 1)[0]
	if m.Press == nil || *m.Press != (channel.Press{Data: "a:1", On: d.ID}) || m.Address != owner.ID || !m.Proven || m.Group != "" {
		t.Fatalf("%+v", m)
	}
	channeltest.Until(t, "Slack knows that it was taken", func() bool { return s.Acknowledged(id) })
	inRoom := asked
	inRoom.Channel = "C0ROOM"
	s.Press(other, inRoom, "a:1")
	if m := r.Waits(t, 2)[1]; m.Group != "-C0ROOM" || m.Address != other.ID || m.Press.On == d.ID {
		t.Errorf("%+v", m)
	}
	edit := to(owner, "Allowed.")
	edit.Edit = d.ID
	for range 2 {
		if got, err := channeltest.Send(t, r, edit); err != nil || got.ID != d.ID {
			t.Fatal(got, err)
		}
	}
	if now := s.Sent(); len(now) != 1 || now[0].Text != "Allowed." || len(now[0].Buttons)+len(now[0].Sections) != 0 {
		t.Errorf("%+v", now)
	}
	edit.Edit = "D0OTHER/" + asked.At
	if _, err := channeltest.Send(t, r, edit); err == nil {
		t.Error("a message elsewhere was changed")
	}
	written := s.Says(owner, "No")
	s.Event("events_api", slacktest.EventOf(slacktest.Message{ // Slack adds a preview
		Type: "message", Kind: "message_changed", Where: "im", Channel: written.Channel, At: "1790000000.000001", Now: &written,
	}))
	s.Edits(written, "Yes")
	all := r.Waits(t, 4)
	if all[2].Edited || !all[3].Edited || all[2].ID == all[3].ID || all[3].Text != "Yes" || len(all) != 4 {
		t.Errorf("%+v", all[2:])
	}
}

// TestCommand: what somebody types after the app's command is their own word to the app, wherever they type it.
func TestCommand(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	var want []string
	for _, c := range [][2]string{
		{"status", "/status"},
		{"", "/help"},
		{"Approve K7Q2MX", "/Approve K7Q2MX"},
		{"How full is the disk?", "How full is the disk?"},
		{"newest first", "newest first"},
	} {
		s.Commands(owner, "C0ROOM", c[0])
		want = append(want, c[1])
	}
	all := r.Waits(t, len(want))
	if got := texts(all); !slices.Equal(got, want) || all[0].Group != "" || all[0].Address != owner.ID || !all[0].Proven {
		t.Errorf("%q %+v", got, all[0])
	}
	if len(onlyOnce(all)) != len(want) {
		t.Error("two commands have one id")
	}
}

// TestAddress: only the id of an account is one, and with a mark before it that of a channel in a group.
func TestAddress(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		"U0OWNER": true, "W0OWNER": true, "-C0ROOM": true, "-G0ROOM": true, "C0ROOM": false, "-U0OWNER": false, "D0OWNER": false, "": false,
		"u0owner": false, "@name": false, "<@U0OWNER>": false, "U0OWNER,U0OTHER": false, "owner@example.com": false,
	} {
		if _, err := slack.Address(in); (err == nil) != want {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// TestFiles: files are fetched only when they are asked for; what is too large, too many, gone, cut off, elsewhere or not to be read is
// said.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := slacktest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	came := func(all ...slacktest.File) channel.Inbound {
		t.Helper()
		n := len(r.Came())
		s.Write(slacktest.Message{Kind: "file_share", User: owner.ID, Text: "See this", Files: all})
		return r.Waits(t, n+1)[n]
	}
	pdf := s.AddFile("Invoice 3.pdf", "application/pdf", []byte("%PDF"))
	m := came(pdf, s.AddFile("two.txt", "text/plain", []byte("2")))
	if s.Calls("file") != 0 || m.Text != "See this" || len(m.Files) != 0 {
		t.Errorf("fetched before it is known who wrote: %+v", m)
	}
	files, left := m.Fetch(t.Context())
	if len(files) != 2 || len(left) != 0 || files[0].Name != "1-Invoice_3.pdf" || string(files[0].Data) != "%PDF" {
		t.Fatalf("%+v %v", files, left)
	}
	wants := func(what, want string, f slacktest.File) {
		t.Helper()
		files, left := came(f).Fetch(t.Context())
		if len(files) != 0 || len(left) != 1 || !strings.Contains(left[0], want) {
			t.Errorf("%s: %d files, %v", what, len(files), left)
		}
	}
	calls := s.Calls("file")
	with := func(f slacktest.File, change func(*slacktest.File)) slacktest.File {
		change(&f)
		return f
	}
	wants("200 MB", "larger than 20 MB", with(pdf, func(f *slacktest.File) { f.Size = 200 << 20 }))
	wants("elsewhere", "did not give it", with(pdf, func(f *slacktest.File) { f.URL = "http://192.0.2.1/x" }))
	wants("somebody else's", "did not give it", with(pdf, func(f *slacktest.File) { f.External = true }))
	if s.Calls("file") != calls {
		t.Error("a file that is not taken is asked for")
	}
	big := s.AddFile("big", "", make([]byte, 20<<20+1))
	wants("more than it says", "larger than 20 MB", with(big, func(f *slacktest.File) { f.Size = 3 }))
	wants("gone", "did not give it", with(pdf, func(f *slacktest.File) { f.URL += "x" }))
	s.Fail("file", fault{Garbage: true})
	wants("not to be read", "did not give it", pdf)
	s.Fail("file", fault{Status: 500}, fault{Status: 429, RetryAfter: 1})
	if files, left := came(pdf).Fetch(t.Context()); len(files) != 1 {
		t.Errorf("not fetched at the third try: %v", left)
	}
	s.Fail("file", fault{Cut: true}, fault{Status: 500}, fault{Cut: true})
	wants("never whole", "did not give it", pdf)
	var many []slacktest.File
	for range 12 {
		many = append(many, pdf)
	}
	if m := came(many...); len(m.Left) != 1 || !strings.Contains(m.Left[0], "2 attached files") {
		t.Errorf("%v", m.Left)
	}
}

// TestTime: a clock that is five minutes off changes nothing.
func TestTime(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{-5 * time.Minute, 5 * time.Minute} {
		s := slacktest.Start(t)
		r := run(t, s, channel.Env{Now: func() time.Time { return time.Now().Add(off) }}).Ready(t)
		s.Says(owner, "Hello")
		r.Waits(t, 1)
		if _, err := channeltest.Send(t, r, to(owner, "Hello")); err != nil {
			t.Errorf("%s: %v", off, err)
		}
	}
}

package telegram_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/telegram"
	"gatehouse/agentd/channel/telegram/telegramtest"
)

// TestRun: what was written before the bot is set up is not read; what comes then is, once, in order, with who wrote it; another start
// goes on where the last one ended; and an update counts as taken at Telegram only when it is here.
func TestRun(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	s.Says(owner, "Before")
	r := run(t, s, channel.Env{}).Ready(t)
	s.Says(owner, "Hello — Grüße 👋")
	m := r.Waits(t, 1)[0]
	if m.Text != "Hello — Grüße 👋" || m.Address != "8000000001" || m.Name != "Owner @user8000000001" {
		t.Errorf("%+v", m)
	}
	if !m.Proven || m.Group != "" || m.Skip != "" || m.Quoted != "" || len(m.Refs) != 0 {
		t.Errorf("%+v", m)
	}
	r.Stop()
	s.Says(owner, "While it is away")
	s.Says(other, "And another")
	again := run(t, s, channel.Env{Cursor: r.At()}).Ready(t)
	all := again.Waits(t, 2)
	if len(all) != 2 || all[0].Text != "While it is away" || all[1].Address != "8000000002" {
		t.Errorf("%+v", all)
	}
	channeltest.Until(t, "all is confirmed", func() bool { return s.Pending() == 0 })
}

// TestRun_repeats: the same update five times and others out of order: each is handed on under one id, and the cursor never goes back.
func TestRun_repeats(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	for _, text := range []string{"one", "two", "three"} {
		s.Says(owner, text)
	}
	r.Waits(t, 3)
	at := r.At()
	var all []telegramtest.Update
	chat := telegramtest.Chat{ID: owner.ID, Type: "private"}
	for i, text := range []string{"one", "two", "three"} {
		m := telegramtest.Message{ID: int64(i + 1), From: &owner, Chat: chat, Date: 1780000000, Text: text}
		all = append(all, telegramtest.Update{ID: int64(101 + i), Message: &m})
	}
	s.Again(all[2], all[0], all[1], all[2], all[2], all[2], all[2])
	r.Waits(t, 10)
	ids := map[string]string{}
	for _, m := range r.Came() {
		if was, known := ids[m.ID]; known && was != m.Text {
			t.Errorf("%q and %q have one id", was, m.Text)
		}
		ids[m.ID] = m.Text
	}
	if len(ids) != 3 || number(r.At()) < number(at) {
		t.Errorf("%v, and the cursor is %s after %s", ids, r.At(), at)
	}
}

func number(cursor string) string { return strings.Split(cursor, ":")[1] }

// TestRun_week: Telegram counts from somewhere else after a week without updates. Nothing that comes then is missed.
func TestRun_week(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	s.Says(owner, "After a long time")
	r := run(t, s, channel.Env{Cursor: "4200000001:999999999:1"}).Ready(t)
	if m := r.Waits(t, 1)[0]; m.Text != "After a long time" {
		t.Errorf("%+v", m)
	}
}

// TestOdd: an update that cannot be read, one that is nothing to answer, and a text of 100,000 characters hold up nobody.
func TestOdd(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	chat := telegramtest.Chat{ID: owner.ID, Type: "private"}
	s.Write(telegramtest.Message{From: &owner, Chat: chat})                            // somebody joined, and the like
	s.Write(telegramtest.Message{From: &owner, Chat: chat, Text: "x", Date: -1 << 60}) // no time
	s.Write(telegramtest.Message{From: nil, Chat: chat, Text: "nobody"})               //
	s.Write(telegramtest.Message{From: &telegramtest.User{ID: 5, Bot: true}, Chat: chat, Text: "a machine"})
	s.Says(owner, strings.Repeat("ה", 100_000))
	all := r.Waits(t, 4)
	if all[1].Skip == "" || all[2].Skip == "" || len([]rune(all[3].Text)) != 100_000 || all[3].Skip != "" {
		t.Errorf("%d %+v", len(all), all[:3])
	}
}

// TestOwnWords: what was forwarded or stands in somebody else's message is not the sender's own.
func TestOwnWords(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	chat := telegramtest.Chat{ID: owner.ID, Type: "private"}
	theirs := telegramtest.Message{ID: 7, From: &other, Chat: chat, Date: 1, Text: "Pay 900 €"}
	from := &telegramtest.Forward{Type: "user", Date: 1, User: &other}
	s.Write(telegramtest.Message{From: &owner, Chat: chat, Text: "Pay 900 €", Forward: from})
	s.Write(telegramtest.Message{From: &owner, Chat: chat, Text: "What is this?", ReplyTo: &theirs})
	me := &telegramtest.User{ID: telegramtest.BotID, Bot: true}
	bot := telegramtest.Message{ID: 8, From: me, Chat: chat, Date: 1, Text: "The disk is full."}
	s.Write(telegramtest.Message{From: &owner, Chat: chat, Text: "Which one?", ReplyTo: &bot})
	all := r.Waits(t, 3)
	if m := all[0]; m.Text != "" || m.Quoted != "Pay 900 €" || !m.Forward {
		t.Errorf("forwarded: %+v", m)
	}
	if m := all[1]; m.Text != "What is this?" || m.Quoted != "Pay 900 €" {
		t.Errorf("answers somebody else: %+v", m)
	}
	if m := all[2]; m.Text != "Which one?" || m.Quoted != "" {
		t.Errorf("answers the bot: %+v", m)
	}
}

// TestGroup: in a group the bot reads what names it or answers it, and nothing else leaves a trace.
func TestGroup(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	chat := telegramtest.Chat{ID: -1001234567890, Type: "supergroup", Title: "Shop"}
	name := "@" + telegramtest.BotName
	says := func(m telegramtest.Message) {
		m.From, m.Chat = &owner, chat
		s.Write(m)
	}
	mark := func(text, kind string) []telegramtest.Entity {
		at := strings.Index(text, name)
		return []telegramtest.Entity{{Type: kind, Offset: len(utf16.Encode([]rune(text[:at]))), Length: len(name)}}
	}
	says(telegramtest.Message{Text: "Lunch?"})
	says(telegramtest.Message{Text: "@somebody_else look"})
	says(telegramtest.Message{Text: name + " without a mark"})
	says(telegramtest.Message{Text: name + " how full is the disk?", Entities: mark(name+" x", "mention")})
	says(telegramtest.Message{Text: "👩‍👩‍👧 " + name + " and now?", Entities: mark("👩‍👩‍👧 "+name, "mention")})
	command := []telegramtest.Entity{{Type: "bot_command", Length: len("/status" + name)}}
	says(telegramtest.Message{Text: "/status" + name, Entities: command})
	says(telegramtest.Message{Text: "Which one?", ReplyTo: &telegramtest.Message{
		ID: 3, From: &telegramtest.User{ID: telegramtest.BotID, Bot: true}, Chat: chat, Date: 1, Text: "80 %",
	}})
	says(telegramtest.Message{Text: "as the group", Entities: nil, Sender: &chat, ReplyTo: &telegramtest.Message{
		ID: 3, From: &telegramtest.User{ID: telegramtest.BotID, Bot: true}, Chat: chat, Date: 1, Text: "80 %",
	}})
	all := r.Waits(t, 5)
	var texts []string
	for _, m := range all {
		texts = append(texts, m.Text)
		if m.Group != "-1001234567890" {
			t.Errorf("%+v", m)
		}
	}
	want := []string{"how full is the disk?", "👩‍👩‍👧 " + name + " and now?", "/status", "Which one?", "as the group"}
	if !slices.Equal(texts, want) {
		t.Errorf("%q", texts)
	}
	if all[0].Reply.To != "-1001234567890" || all[0].Skip != "" || all[4].Skip == "" {
		t.Errorf("%+v", all)
	}
}

// TestPress: a press says who pressed which button of which message; a change says what it changes.
func TestPress(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	o := to(owner, "May the file be deleted?")
	o.Buttons = []channel.Button{{Label: "Allow", Data: "a:1"}, {Label: "Deny", Data: "d:1"}, {Label: "Later", Data: "l:1"}}
	d, err := channeltest.Send(t, r, o)
	if err != nil {
		t.Fatal(err)
	}
	asked := s.Sent()[0]
	if len(asked.Buttons) != 2 || len(asked.Buttons[0]) != 2 || asked.Buttons[1][0].Data != "l:1" {
		t.Errorf("%+v", asked)
	}
	s.Press(owner, asked, "a:1")
	m := r.Waits(t, 1)[0]
	if m.Press == nil || m.Address != "8000000001" || !m.Proven || m.Group != "" {
		t.Fatalf("%+v", m)
	}
	if m.Press.Data != "a:1" || m.Press.On != d.ID {
		t.Errorf("%+v", m)
	}
	channeltest.Until(t, "Telegram knows that it was taken", func() bool { return s.Calls("answerCallbackQuery") == 1 })
	edit := to(owner, "Allowed.")
	edit.Edit = d.ID
	for range 2 { // the second changes nothing, which is no error
		if got, err := channeltest.Send(t, r, edit); err != nil || got.ID != d.ID {
			t.Fatal(got, err)
		}
	}
	if now := s.Sent(); len(now) != 1 || now[0].Text != "Allowed." || len(now[0].Buttons) != 0 {
		t.Errorf("%+v", now)
	}
	written := s.Says(owner, "No")
	s.Edits(written, "Yes")
	all := r.Waits(t, 3)
	if all[1].Edited || !all[2].Edited || all[1].ID == all[2].ID {
		t.Errorf("%+v", all[1:])
	}
}

// TestAddress: only a plain number is an account.
func TestAddress(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		"8000000001": true, "-100123": true, "0": false, "+1": false, "01": false, "": false, "@name": false, "1,2": false,
		"99999999999999999999": false, "owner@example.com": false,
	} {
		if _, err := telegram.Address(in); (err == nil) != want {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// TestFiles: photos and documents are fetched, only when they are asked for; what is too large, gone or cut off is said.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	chat := telegramtest.Chat{ID: owner.ID, Type: "private"}
	doc := func(f telegramtest.File, named int64) channel.Inbound {
		t.Helper()
		n := len(r.Came())
		s.Write(telegramtest.Message{From: &owner, Chat: chat, Caption: "See this", Document: &telegramtest.Document{
			FileID: s.AddFile("x", f), UniqueID: "u", Name: "../../Invoice 3.pdf", Mime: "application/pdf", Size: named,
		}})
		return r.Waits(t, n+1)[n]
	}
	m := doc(telegramtest.File{Data: []byte("%PDF")}, 4)
	if s.Calls("getFile") != 0 || m.Text != "See this" || len(m.Files) != 0 {
		t.Errorf("fetched before it is known who wrote: %+v", m)
	}
	files, left := m.Fetch(t.Context())
	if len(files) != 1 || len(left) != 0 || files[0].Name != "1-Invoice_3.pdf" || string(files[0].Data) != "%PDF" {
		t.Errorf("%+v %v", files, left)
	}
	wants := func(what, want string, m channel.Inbound) {
		t.Helper()
		files, left := m.Fetch(t.Context())
		if len(files) != 0 || len(left) != 1 || !strings.Contains(left[0], want) {
			t.Errorf("%s: %d files, %v", what, len(files), left)
		}
	}
	calls := s.Calls("getFile")
	wants("200 MB", "larger than 20 MB", doc(telegramtest.File{Size: 200 << 20}, 200<<20))
	if s.Calls("getFile") != calls {
		t.Error("a file that is too large is asked for")
	}
	wants("200 MB that says it is small", "did not give it", doc(telegramtest.File{Size: 200 << 20}, 3))
	wants("more than it says", "larger than 20 MB", doc(telegramtest.File{Data: make([]byte, 21<<20), Size: 3}, 3))
	s.Fail("getFile", telegramtest.Fault{Status: 500}, telegramtest.Fault{Status: 429, RetryAfter: 1})
	if files, left := doc(telegramtest.File{Data: []byte("x")}, 1).Fetch(t.Context()); len(files) != 1 {
		t.Errorf("not fetched at the third try: %v", left)
	}
	s.Fail("download", telegramtest.Fault{Cut: true}, telegramtest.Fault{Status: 500}, telegramtest.Fault{Garbage: true})
	wants("never whole", "did not give it", doc(telegramtest.File{Data: []byte("x")}, 1))
	n := len(r.Came())
	s.Write(telegramtest.Message{From: &owner, Chat: chat, Photo: []telegramtest.Photo{
		{FileID: s.AddFile("s", telegramtest.File{Data: []byte("small")}), UniqueID: "1", Width: 90, Height: 90},
		{FileID: s.AddFile("l", telegramtest.File{Data: []byte("large")}), UniqueID: "2", Width: 900, Height: 900},
	}})
	files, _ = r.Waits(t, n+1)[n].Fetch(t.Context())
	if len(files) != 1 || string(files[0].Data) != "large" || files[0].Name != "1-photo.jpg" {
		t.Errorf("%+v", files)
	}
}

// TestTime: a clock that is five minutes off changes nothing.
func TestTime(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{-5 * time.Minute, 5 * time.Minute} {
		s := telegramtest.Start(t)
		r := run(t, s, channel.Env{Now: func() time.Time { return time.Now().Add(off) }}).Ready(t)
		s.Says(owner, "Hello")
		r.Waits(t, 1)
		if _, err := channeltest.Send(t, r, to(owner, "Hello")); err != nil {
			t.Errorf("%s: %v", off, err)
		}
	}
}

// TestRun_kept: Telegram is told to forget a message only when whoever takes messages is done with it.
func TestRun_kept(t *testing.T) {
	t.Parallel()
	s := telegramtest.Start(t)
	inbox := make(chan channel.Inbound)
	go func() { _ = made(t, s, channel.Env{}).Run(t.Context(), inbox) }()
	next := func() channel.Inbound {
		select {
		case m := <-inbox:
			return m
		case <-time.After(10 * time.Second):
			t.Fatal("nothing was handed on")
			return channel.Inbound{}
		}
	}
	next() // where it stands at first
	s.Says(owner, "One")
	if m := next(); m.Text != "One" {
		t.Fatalf("%+v", m)
	}
	if n := len(s.Unconfirmed()); n != 1 {
		t.Errorf("%d are kept at Telegram while the message is taken", n)
	}
	if m := next(); m.ID != "" || m.Cursor == "" {
		t.Errorf("%+v", m)
	}
	channeltest.Until(t, "it is confirmed", func() bool { return len(s.Unconfirmed()) == 0 })
}

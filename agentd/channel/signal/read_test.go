package signal_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/signal"
	"gatehouse/agentd/channel/signal/signaltest"
)

// TestRun: what comes is read once, in order, with who wrote it; another start goes on where the last one ended.
func TestRun(t *testing.T) {
	t.Parallel()
	s := signaltest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	s.Says(signaltest.User{ID: owner.ID, Number: "+4930555000002", Name: "Owner"}, "Hello — Grüße 👋")
	m := r.Waits(t, 1)[0]
	if m.Text != "Hello — Grüße 👋" || m.Address != owner.ID || m.Name != "Owner +4930555000002" {
		t.Errorf("%+v", m)
	}
	if !m.Proven || m.Skip != "" || m.Group+m.Quoted != "" || len(m.Refs) != 0 || m.Time.Year() != 2026 {
		t.Errorf("%+v", m)
	}
	r.Stop()
	channeltest.Until(t, "nobody listens", func() bool { return s.Listeners() == 0 })
	s.Says(owner, "While it is away")
	s.Says(other, "And another")
	again := run(t, s, channel.Env{Cursor: r.At()}).Ready(t)
	all := again.Waits(t, 2)
	if len(all) != 2 || all[0].Text != "While it is away" || all[1].Address != other.ID || s.Asked() != "1" {
		t.Errorf("%+v after %q", all, s.Asked())
	}
}

// TestRun_older: an older signal-cli, which does not number events, and one that was started for the account alone are read as well.
func TestRun_older(t *testing.T) {
	t.Parallel()
	s := signaltest.Start(t)
	s.Unnumbered()
	s.Single()
	r := run(t, s, channel.Env{}).Ready(t)
	s.Says(owner, "One")
	r.Waits(t, 1)
	r.Stop()
	again := run(t, s, channel.Env{Cursor: r.At()}).Ready(t)
	s.Says(owner, "Two")
	if all := texts(again.Waits(t, 1)); !slices.Equal(all, []string{"Two"}) || s.Asked() != "" {
		t.Errorf("%q", all)
	}
	s.Event(map[string]any{"account": "+4930555000009", "envelope": map[string]any{}})
	if !trouble(t, again.End(t), "does not have this account") {
		t.Error("messages of another account are read")
	}
}

// TestRun_repeats: a signal-cli that was started anew hands out what it has once more, and an event may come five times and out of order:
// each is handed on under one id.
func TestRun_repeats(t *testing.T) {
	t.Parallel()
	s := signaltest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	one, two := s.Says(owner, "one"), s.Says(owner, "two")
	r.Waits(t, 2)
	for _, m := range []signaltest.Message{two, one, two, two, two, two, one} {
		s.Write(owner, m)
	}
	ids := map[string]string{}
	for _, m := range r.Waits(t, 9) {
		if was, known := ids[m.ID]; known && was != m.Text {
			t.Errorf("%q and %q have one id", was, m.Text)
		}
		ids[m.ID] = m.Text
	}
	if len(ids) != 2 {
		t.Errorf("%v", ids)
	}
	r.Stop()
	s.Restart()
	again := run(t, s, channel.Env{Cursor: r.At()}).Ready(t)
	s.Says(owner, "three")
	if all := texts(again.Waits(t, 1)); !slices.Equal(all, []string{"three"}) {
		t.Errorf("%q", all)
	}
}

// TestOdd: what cannot be read, what is nothing to answer, and a text of 100,000 characters hold up nobody; whose key has changed is said.
func TestOdd(t *testing.T) {
	t.Parallel()
	s := signaltest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	s.Event("not an event")
	s.Event(map[string]any{"account": signaltest.Account, "envelope": 5})
	s.Event(map[string]any{"account": signaltest.Account, "envelope": map[string]any{"sourceUuid": "../x", "timestamp": 7}})
	s.Event(signaltest.Other(owner, "receiptMessage", map[string]any{"when": 1, "isRead": true, "timestamps": []int64{1}}))
	s.Event(signaltest.Other(owner, "typingMessage", map[string]any{"action": "STARTED", "timestamp": 1}))
	s.Event(signaltest.Other(signaltest.Me, "syncMessage", map[string]any{"sentMessage": map[string]any{"message": "from a phone"}}))
	s.Write(owner, signaltest.Message{Reaction: map[string]any{"emoji": "👍"}})
	s.Write(owner, signaltest.Message{Sticker: map[string]any{"packId": "a", "stickerId": 1}})
	s.Distrusts(other)
	s.Says(owner, strings.Repeat("ה", 100_000))
	all := r.Waits(t, 3)
	if len(all) != 3 || all[0].Text != "" || len(all[0].Left) != 1 || len([]rune(all[2].Text)) != 100_000 {
		t.Errorf("%d %+v", len(all), all[:2])
	}
	if !strings.Contains(all[1].Skip, "safety number") || all[1].Address != other.ID {
		t.Errorf("%+v", all[1])
	}
}

// TestGroup: in a group only what names the account or answers it is read, of two people at once too, and is answered there.
func TestGroup(t *testing.T) {
	t.Parallel()
	s := signaltest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	says := func(from signaltest.User, text string, names ...signaltest.Mention) {
		s.Write(from, signaltest.Message{Text: &text, Mentions: names, Group: group})
	}
	says(owner, "nothing to the team")
	says(owner, signaltest.Place+" look", signaltest.Names(other, 0))
	says(owner, signaltest.Place+" how full is the disk?", signaltest.Names(signaltest.Me, 0))
	says(other, "👍 and you, "+signaltest.Place+" and "+signaltest.Place+"?",
		signaltest.Names(owner, 18), signaltest.Names(signaltest.Me, 12))
	text := "And now?"
	s.Write(owner, signaltest.Message{Text: &text, Group: group, Quote: &signaltest.Quote{Author: signaltest.AccountID, Text: "80 %"}})
	s.Write(owner, signaltest.Message{Text: &text, Mentions: []signaltest.Mention{signaltest.Names(signaltest.Me, 900)}})
	all := r.Waits(t, 4)
	chat := "-" + group.ID
	want := []string{"how full is the disk?", "👍 and you, @Team and @Owner?", "And now?", "And now?"}
	if got := texts(all); !slices.Equal(got, want) || all[0].Group != chat || all[0].Reply.To != chat || all[1].Address != other.ID {
		t.Errorf("%q %+v", got, all[0])
	}
	if all[2].Quoted != "" || all[3].Group != "" {
		t.Errorf("%+v", all[2:])
	}
	o := channel.Outbound{ID: "x", To: chat, Text: "80 %", Reply: all[0].Reply}
	_, err := channeltest.Send(t, r, o)
	got := s.Sent()
	if err != nil || !got[0].Group || got[0].To != group.ID || got[0].Author != owner.ID || got[0].Quotes != all[0].Time.UnixMilli() {
		t.Errorf("%v %+v", err, got)
	}
}

// TestQuoted: what somebody answers is not their word; what the account said is no news; what was changed says so; and what the team sent
// can be changed while Signal lets it.
func TestQuoted(t *testing.T) {
	t.Parallel()
	s := signaltest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	text := "What is this?"
	s.Write(owner, signaltest.Message{Text: &text, Quote: &signaltest.Quote{Author: other.ID, Text: "/approve K7Q2MX"}})
	written := s.Says(owner, "No")
	s.Edits(owner, written, "Yes")
	all := r.Waits(t, 3)
	if all[0].Quoted != "/approve K7Q2MX" || all[0].Text != text || all[1].Edited || !all[2].Edited || all[1].ID == all[2].ID {
		t.Errorf("%+v", all)
	}
	d, err := channeltest.Send(t, r, to(owner, "May this be deleted?"))
	if err != nil {
		t.Fatal(err)
	}
	edit := to(owner, "Allowed.")
	edit.Edit = d.ID
	for range 2 {
		if got, err := channeltest.Send(t, r, edit); err != nil || got.ID != d.ID {
			t.Fatal(got, err)
		}
	}
	if now := s.Sent(); len(now) != 1 || now[0].Text != "Allowed." || now[0].Edits != 2 {
		t.Errorf("%+v", now)
	}
	edit.To = other.ID
	if _, err := channeltest.Send(t, r, edit); err == nil {
		t.Error("a message elsewhere was changed")
	}
	edit.To = owner.ID
	tomorrow := made(t, s, channel.Env{Now: func() time.Time { return time.UnixMilli(1780000000000).Add(25 * time.Hour) }})
	if got, err := channeltest.Send(t, tomorrow, edit); err != nil || got.ID == d.ID || len(s.Sent()) != 2 {
		t.Errorf("%+v %v: what is too old to be changed is sent anew", got, err)
	}
}

// TestTyping: people who may write learn that they were read and that an answer is being written, and learn the first once.
func TestTyping(t *testing.T) {
	t.Parallel()
	s := signaltest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	one, two := s.Says(owner, "One"), s.Says(owner, "Two")
	s.Says(other, "Three")
	r.Waits(t, 3)
	typer, is := r.Channel.(channel.Typer)
	if !is {
		t.Fatal("it cannot be shown")
	}
	if len(s.Receipts()) != 0 {
		t.Error("somebody learns that they were read before it is known that they may write")
	}
	channeltest.Until(t, "both are noted", func() bool {
		typer.Typing(t.Context(), owner.ID)
		var at []int64
		for _, one := range s.Receipts() {
			at = append(at, one.At...)
		}
		return slices.Equal(at, []int64{one.At, two.At})
	})
	typer.Typing(t.Context(), owner.ID)
	all := s.Receipts()
	if s.Calls("sendTyping") < 2 || all[0].To != owner.ID || all[0].Type != "read" {
		t.Errorf("%+v", all)
	}
	for _, one := range all {
		if one.To == other.ID {
			t.Error("another learns it too")
		}
	}
}

// TestAddress: only the id of an account is one, and with a mark before it that of a group.
func TestAddress(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		owner.ID: true, strings.ToUpper(owner.ID): true, "-" + group.ID: true, "+4930555000001": false, "": false, "-": false, "-QQ==": false,
		"@name": false, "owner@example.com": false, "{" + owner.ID + "}": false, "PNI:" + owner.ID: false,
	} {
		if got, err := signal.Address(in); (err == nil) != want || err == nil && got != strings.ToLower(in) && in[0] != '-' {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// TestFiles: files are fetched only when they are asked for; what is too large, too many, gone or cut off is said.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := signaltest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	text := "See this"
	came := func(in *signaltest.Group, once bool, all ...signaltest.Attachment) channel.Inbound {
		t.Helper()
		n := len(r.Came())
		m := signaltest.Message{Text: &text, Files: all, Group: in, Once: once}
		if in != nil {
			m.Quote = &signaltest.Quote{Author: signaltest.AccountID}
		}
		s.Write(owner, m)
		return r.Waits(t, n+1)[n]
	}
	pdf := signaltest.Attachment{ID: s.AddFile([]byte("%PDF")), Name: "Invoice 3.pdf", Kind: "application/pdf", Size: 4}
	for _, in := range []*signaltest.Group{nil, group} {
		m := came(in, false, pdf, signaltest.Attachment{ID: s.AddFile([]byte("2")), Kind: "image/jpeg"})
		if len(m.Files) != 0 || m.Text != text {
			t.Errorf("fetched before it is known who wrote: %+v", m)
		}
		files, left := m.Fetch(t.Context())
		if len(files) != 2 || len(left) != 0 || files[0].Name != "1-Invoice_3.pdf" || string(files[0].Data) != "%PDF" {
			t.Fatalf("%+v %v", files, left)
		}
	}
	if m := came(nil, true, pdf); m.Fetch != nil || len(m.Left) != 1 {
		t.Errorf("a file to be seen once is fetched: %+v", m)
	}
	wants := func(what, want string, a signaltest.Attachment) {
		t.Helper()
		files, left := came(nil, false, a).Fetch(t.Context())
		if len(files) != 0 || len(left) != 1 || !strings.Contains(left[0], want) {
			t.Errorf("%s: %d files, %v", what, len(files), left)
		}
	}
	calls := s.Calls("getAttachment")
	wants("200 MB", "larger than 20 MB", signaltest.Attachment{ID: pdf.ID, Size: 200 << 20})
	wants("no id", "did not give it", signaltest.Attachment{Size: 2})
	if s.Calls("getAttachment") != calls {
		t.Error("a file that is not taken is asked for")
	}
	wants("more than it says", "larger than 20 MB", signaltest.Attachment{ID: s.AddFile(make([]byte, 20<<20+1)), Size: 3})
	wants("gone", "did not give it", signaltest.Attachment{ID: "x", Size: 3})
	s.Fail("getAttachment", fault{Status: 500}, fault{Cut: true})
	if files, left := came(nil, false, pdf).Fetch(t.Context()); len(files) != 1 {
		t.Errorf("not fetched at the third try: %v", left)
	}
	s.Fail("getAttachment", fault{Cut: true}, fault{Status: 500}, fault{Garbage: true})
	wants("never whole", "did not give it", pdf)
	var many []signaltest.Attachment
	for i := range 34 {
		many = append(many, signaltest.Attachment{ID: strconv.Itoa(i)})
	}
	if m := came(nil, false, many...); len(m.Left) != 1 || !strings.Contains(m.Left[0], "2 attached files") {
		t.Errorf("%v", m.Left)
	}
}

// TestTime: a clock that is five minutes off changes nothing.
func TestTime(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{-5 * time.Minute, 5 * time.Minute} {
		s := signaltest.Start(t)
		r := run(t, s, channel.Env{Now: func() time.Time { return time.UnixMilli(1780000000000).Add(off) }}).Ready(t)
		s.Says(owner, "Hello")
		r.Waits(t, 1)
		d, err := channeltest.Send(t, r, to(owner, "Hello"))
		edit := to(owner, "Allowed.")
		edit.Edit = d.ID
		if err == nil {
			_, err = channeltest.Send(t, r, edit)
		}
		if err != nil || s.Sent()[0].Edits != 1 {
			t.Errorf("%s: %v", off, err)
		}
	}
}

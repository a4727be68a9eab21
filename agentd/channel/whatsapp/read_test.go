package whatsapp_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/whatsapp"
	"gatehouse/agentd/channel/whatsapp/whatsapptest"
	"gatehouse/agentd/wire"
)

// TestAddress: a phone number has one form; what is none is refused.
func TestAddress(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"4915550000001": "4915550000001", "+49 1555 000-0001": "4915550000001", "0155500000": "", "12": "",
		"49155500000012345": "", "49a555": "", "": "", "-100": "",
	} {
		if got, err := whatsapp.Address(in); got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v", in, got, err)
		}
	}
}

// TestKind: settings without a number, or with half a template, are refused.
func TestKind(t *testing.T) {
	t.Parallel()
	good := settings.Chat
	for what, change := range map[string]func(*wire.ChatSettings){
		"a phone number":   func(c *wire.ChatSettings) { c.Account = "+49 1555" },
		"asked for":        func(c *wire.ChatSettings) { c.Way = wire.ChatPoll },
		"no language":      func(c *wire.ChatSettings) { c.Language = "" },
		"a strange name":   func(c *wire.ChatSettings) { c.Template = "Team Update" },
		"another language": func(c *wire.ChatSettings) { c.Language = "en-US/../x" },
	} {
		set := good
		change(&set)
		if _, err := whatsapp.Kind().Make(channel.Settings{Chat: set}, channel.Env{}); err == nil {
			t.Errorf("%s is taken", what)
		}
	}
	good.Template, good.Language = "", ""
	if _, err := whatsapp.Kind().Make(channel.Settings{Chat: good}, channel.Env{}); err != nil {
		t.Error(err)
	}
}

// TestRead: what people send comes with who sent it, what they call themselves, and whose words it is.
func TestRead(t *testing.T) {
	t.Parallel()
	s := whatsapptest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	id := s.Says(owner, "How full is the disk? 👩‍👩‍👧‍👦 שלום")
	s.Sends(owner, "text", map[string]any{
		"text": map[string]string{"body": "/approve K7Q2MX"}, "context": map[string]any{"forwarded": true},
	})
	s.Sends(other, "location", map[string]any{"location": map[string]any{"latitude": 52.5, "longitude": 13.4, "name": "Office"}})
	s.Sends(other, "sticker", map[string]any{"sticker": map[string]string{"id": "1"}})
	on := whatsapptest.Sent{ID: "wamid.9"}
	press := s.Presses(owner, on, whatsapptest.Button{ID: "allow 1", Title: "Allow once"})
	all := r.Waits(t, 5)
	first := all[0]
	if first.ID != id || first.Address != owner.Phone || first.Name != "Owner" || !first.Proven || first.Reply.ID != id {
		t.Errorf("%+v", first)
	}
	if first.Group != "" || first.Text != "How full is the disk? 👩‍👩‍👧‍👦 שלום" || time.Since(first.Time) > time.Minute {
		t.Errorf("%+v", first)
	}
	if m := all[1]; !m.Forward || m.Text != "" || m.Quoted != "/approve K7Q2MX" {
		t.Errorf("what is passed on counts as theirs: %+v", m)
	}
	if m := all[2]; !strings.Contains(m.Text, "Office") || !strings.Contains(m.Text, "52.5") {
		t.Errorf("%+v", m)
	}
	if m := all[3]; len(m.Left) != 1 {
		t.Errorf("%+v", m)
	}
	if m := all[4]; m.ID != press || m.Press == nil || m.Press.Data != "allow 1" || m.Press.On != on.ID || m.Text != "" {
		t.Errorf("%+v", m)
	}
}

// TestRead_again: the same message five times, in any order, comes with the same id each time, by which it is known.
func TestRead_again(t *testing.T) {
	t.Parallel()
	s := whatsapptest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	text := func(id string) []byte {
		return whatsapptest.Message(id, owner, time.Now(), "text", map[string]any{"text": map[string]string{"body": id}})
	}
	for range 5 {
		for _, id := range []string{"wamid.2", "wamid.1"} {
			if got := deliver(t, r.Channel, s.Delivery(text(id))); got.Status != 200 {
				t.Fatalf("%+v", got)
			}
		}
	}
	ids := map[string]int{}
	for _, m := range r.Came() {
		ids[m.ID]++
	}
	if len(ids) != 2 || ids["wamid.1"] != 5 {
		t.Errorf("%v", ids)
	}
}

// TestRead_reports: what Meta says later about a message of ours names it, also by our own name.
func TestRead_reports(t *testing.T) {
	t.Parallel()
	s := whatsapptest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	on := whatsapptest.Sent{ID: "wamid.7", To: other.Phone, Ours: "ours"}
	for _, state := range []string{"sent", "delivered", "read", "deleted"} {
		s.Reports(on, state, 0)
	}
	s.Reports(on, "failed", 131047)
	all := r.Waits(t, 4)
	for i, want := range []channel.ReportState{channel.Sent, channel.Delivered, channel.Seen, channel.Failed} {
		if got := all[i].Report; got == nil || got.State != want || got.On != "wamid.7" || got.ID != "ours" {
			t.Errorf("%d: %+v", i, got)
		}
	}
	if why := all[3].Report.Why; !strings.Contains(why, "has not written for a day") {
		t.Errorf("%q", why)
	}
}

// TestFiles: a file is fetched with its text, if it is of a type and a size that are taken; what Meta says of its size is not believed.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := whatsapptest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	type file = whatsapptest.File
	large := bytes.Repeat([]byte("x"), 20<<20+1)
	for _, c := range []struct {
		what, kind string
		file       file
		faults     []whatsapptest.Fault
		name, left string
	}{
		{what: "a photo", kind: "image", file: file{Kind: "image/jpeg", Data: []byte("jpeg")}, name: "1-file."},
		{what: "a document", kind: "document", file: file{Kind: "application/pdf", Data: []byte("pdf")}, name: "1-bill.pdf"},
		{what: "a voice", kind: "audio", file: file{Kind: "audio/ogg; codecs=opus", Data: []byte("ogg")}, name: "1-"},
		{what: "200 MB", kind: "document", file: file{Kind: "application/pdf", Size: 200 << 20}, left: "larger than 20 MB"},
		{what: "more than it says", kind: "document", file: file{Kind: "application/pdf", Data: large, Size: 10}, left: "larger than"},
		{what: "a program", kind: "document", file: file{Kind: "application/x-msdownload", Data: []byte("MZ")}, left: "its type"},
		{
			what: "a pause", kind: "image", file: file{Kind: "image/png", Data: []byte("png")}, name: "1-file.png",
			faults: []whatsapptest.Fault{{Status: 500}, {Cut: true}},
		},
		{
			what: "broken for good", kind: "image", file: file{Kind: "image/png", Data: []byte("png")}, left: "did not give it",
			faults: []whatsapptest.Fault{{Status: 500}, {Cut: true}, {Garbage: true}},
		},
	} {
		n := len(r.Came())
		s.Fail(whatsapptest.RouteMedia, c.faults...)
		sent := map[string]any{"id": s.Keeps(c.file), "mime_type": c.file.Kind, "caption": "Look"}
		if c.kind == "document" {
			sent["filename"] = "bill.pdf"
		}
		s.Sends(owner, c.kind, map[string]any{c.kind: sent})
		m := r.Waits(t, n+1)[n]
		if m.Fetch == nil {
			t.Fatalf("%s: %+v", c.what, m)
		}
		files, left := m.Fetch(t.Context())
		switch {
		case c.left != "":
			if len(files) != 0 || len(left) != 1 || !strings.Contains(left[0], c.left) {
				t.Errorf("%s: %d files, %q", c.what, len(files), left)
			}
		case len(files) != 1 || !strings.HasPrefix(files[0].Name, c.name) || !bytes.Equal(files[0].Data, c.file.Data) || len(left) != 0:
			t.Errorf("%s: %+v, %q", c.what, files, left)
		}
	}
}

// TestTyping: the newest message of a person is marked as read, once in a while, and nobody else's.
func TestTyping(t *testing.T) {
	t.Parallel()
	s := whatsapptest.Start(t)
	r := run(t, s, channel.Env{}).Ready(t)
	s.Says(owner, "First")
	id := s.Says(owner, "Second")
	r.Waits(t, 2)
	typer, is := r.Channel.(channel.Typer)
	if !is {
		t.Fatal("it cannot be shown")
	}
	for range 3 {
		typer.Typing(t.Context(), owner.Phone)
		typer.Typing(t.Context(), other.Phone)
	}
	if got := s.Read(); len(got) != 1 || got[0] != id {
		t.Errorf("%q, not %q", got, id)
	}
	if _, err := channeltest.Send(t, r, to(s, owner, "Done")); err != nil {
		t.Error(err)
	}
}

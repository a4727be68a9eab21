package email_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	gomail "github.com/emersion/go-message/mail"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/email/mailtest"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

const passed = "Authentication-Results: mx.team.example; dmarc=pass (p=REJECT) header.from=example.com"

// TestMail is everything that needs a mail server, on one.
func TestMail(t *testing.T) {
	t.Parallel()
	s := server(t)
	for name, test := range map[string]func(*testing.T, *mailtest.Server){
		"reads and answers": testMailbox, "odd mails": testOdd, "faults": testFaults, "cut while sending": testSendCut,
		"files": testFiles,
	} {
		t.Run(name, func(t *testing.T) { test(t, s) })
	}
}

// testMailbox reads a real mailbox and answers from it: what comes while it waits, in order, once, who the sender is, and an answer
// that stands beneath its question.
func testMailbox(t *testing.T, s *mailtest.Server) {
	t.Parallel()
	set := settings(s, "team")
	s.Deliver(t, "old@example.com", set.Address, mail("old@example.com", set.Address, "<old@example.com>", "Before", "x"))
	channeltest.Until(t, "the old mail", func() bool { return len(s.Mails(t, "team")) == 1 })
	r := run(t, s, set, "")
	r.Ready(t)

	s.Deliver(t, "owner@example.com", set.Address, mail("The Owner <Owner@Example.com>", set.Address, "<1@example.com>", "Order",
		"Please order paper.\n\nOn Mon, 2 Mar 2026 at 10:00, Team <team@team.example> wrote:\n> What do you need?\n", passed,
		"References: <0123@team.example>", "In-Reply-To: <0123@team.example>"))
	channeltest.Until(t, "a mail", func() bool { return len(r.Came()) == 1 })
	m := r.Came()[0]
	if m.Address != "owner@example.com" || !m.Proven || m.Subject != "Order" || m.Text != "Please order paper." {
		t.Errorf("%+v", m)
	}
	if !strings.Contains(m.Quoted, "> What do you need?") || m.Refs[0] != channel.SentRef("0123") || m.Skip != "" {
		t.Errorf("%+v", m)
	}

	err := send(t, r, channel.Outbound{
		ID: "01975000-0000-7000-8000-000000000001", To: "owner@example.com", Subject: "Re: Order", Text: "Done — Grüße",
		Reply: m.Reply,
	})
	if err != nil {
		t.Fatal(err)
	}
	channeltest.Until(t, "the answer", func() bool { return len(s.Mails(t, "owner")) == 1 })
	got := strings.ReplaceAll(s.Mails(t, "owner")[0], "\r\n", "\n")
	for _, want := range []string{
		"\nIn-Reply-To: <1@example.com>\n", "<0123@team.example>", "\nAuto-Submitted: auto-replied\n",
		"\nMessage-ID: <01975000-0000-7000-8000-000000000001@team.example>\n", "\nFrom: <team@team.example>\n", "SMTPSA",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the answer lacks %q:\n%s", want, got)
		}
	}

	same := mail("someone@elsewhere.example", set.Address, "<same@elsewhere.example>", "Five times", "Hello")
	for range 5 {
		s.Deliver(t, "someone@elsewhere.example", set.Address, same)
	}
	channeltest.Until(t, "all of them", func() bool { return len(r.Came()) == 6 })
	ids := map[string]bool{}
	for _, m := range r.Came()[1:] {
		ids[m.ID] = true
	}
	if len(ids) != 1 || r.Came()[1].Proven {
		t.Errorf("ids %v, %+v", ids, r.Came()[1])
	}
	at := r.At()
	r.Stop()
	if err := <-r.Ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	s.Deliver(t, "owner@example.com", set.Address, mail("owner@example.com", set.Address, "<while@example.com>", "Meanwhile", "x"))
	again := run(t, s, set, at)
	channeltest.Until(t, "what came meanwhile", func() bool { return len(again.Came()) == 1 })
	if m := again.Came()[0]; m.Subject != "Meanwhile" {
		t.Errorf("%+v", m)
	}
}

// testOdd: mails of every bad kind become messages, and hold up no others.
func testOdd(t *testing.T, s *mailtest.Server) {
	t.Parallel()
	set := settings(s, "odd")
	r := run(t, s, set, "")
	r.Ready(t)
	from, to := "someone@elsewhere.example", set.Address
	mixed := "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b"
	huge := strings.Repeat(strings.Repeat("QUJD", 19)+"\n", 11<<20/57)
	for i, m := range []string{
		mail(from, to, "<long@x.example>", "Long", strings.Repeat("0123456789 word ", 6250)),
		mail(from, to, "<huge@x.example>", "Huge", "--b\n\nSee the file\n--b\nContent-Type: application/zip\n"+
			"Content-Disposition: attachment; filename=\"../../.env\"\nContent-Transfer-Encoding: base64\n\n"+huge+"\n--b--", mixed),
		mail(from, to, "<small@x.example>", "Small", "--b\n\nSee the file\n--b\nContent-Type: text/csv\n"+
			"Content-Disposition: attachment; filename=\"../../.env\"\n\na,b\n--b--", mixed),
		mail(from, to, "<cut@x.example>", "Cut", "--b\nContent-Type: text/plain; charset=no-such\n"+
			"Content-Transfer-Encoding: base64\n\n!!!", mixed),
		mail(from, to, "<html@x.example>", "HTML", "<style>x</style><p>Hello&nbsp;<b>there</b></p><blockquote>before</blockquote>",
			"MIME-Version: 1.0\nContent-Type: text/html; charset=utf-8"),
		"From: a@x.example, b@x.example\nSubject: two\n\nx\n",
		"\x00\x01 no header at all\n\n",
		mail(from, to, "<away@x.example>", "Away", "I am away", "Auto-Submitted: auto-replied"),
		mail(from, to, "<list@x.example>", "News", "x", "List-Id: <news.x.example>"),
		mail(set.Address, to, "<own@x.example>", "Own", "x"),
		mail("MAILER-DAEMON@x.example", to, "<bounce@x.example>", "Undelivered", "x"),
		mail(from, to, "<last@x.example>", "Last", "x"),
	} {
		s.Deliver(t, from, to, m)
		channeltest.Until(t, fmt.Sprint("mail ", i), func() bool { return len(r.Came()) == i+1 })
	}
	all := r.Came()
	if m := all[0]; len(m.Text) < 99_000 {
		t.Errorf("%d characters of a long mail", len(m.Text))
	}
	if m := all[1]; len(m.Files) != 0 || len(m.Left) != 1 || !strings.Contains(m.Left[0], "larger than 10 MB") || m.Text != "See the file" {
		t.Errorf("%+v", m.Left)
	}
	if m := all[2]; len(m.Files) != 1 || m.Files[0].Name != "1-env" || strings.TrimSpace(string(m.Files[0].Data)) != "a,b" {
		t.Errorf("%+v", m.Files)
	}
	if m := all[4]; m.Text != "Hello there" || m.Quoted != "> before" {
		t.Errorf("%q %q", m.Text, m.Quoted)
	}
	for _, i := range []int{5, 7, 8, 9, 10} {
		if all[i].Skip == "" {
			t.Errorf("mail %d would be answered: %+v", i, all[i])
		}
	}
	if all[11].Skip != "" || all[11].Subject != "Last" {
		t.Errorf("%+v", all[11])
	}
}

// testFaults: what does not work is told in words, and a connection that is cut ends the wait.
func testFaults(t *testing.T, s *mailtest.Server) {
	t.Parallel()
	set := settings(s, "faults")
	wrong := made(t, s, set, channel.Env{
		Password: func(context.Context) (secret.Value, error) { return secret.New("a wrong password"), nil },
	})
	err := wrong.Run(t.Context(), make(chan channel.Inbound))
	var trouble *channel.Trouble
	if !errors.As(err, &trouble) || !trouble.Hard || !strings.Contains(trouble.Text, "refused the user name or the password") {
		t.Errorf("%v", err)
	}
	if reads, sends := wrong.Check(t.Context()); !strings.Contains(reads, "refused") || !strings.Contains(sends, "refused") {
		t.Errorf("%q %q", reads, sends)
	}
	right := made(t, s, set, channel.Env{})
	if reads, sends := right.Check(t.Context()); reads != "" || sends != "" {
		t.Errorf("%q %q", reads, sends)
	}
	untrusted := *s
	untrusted.Roots = nil
	reads, sends := made(t, &untrusted, set, channel.Env{}).Check(t.Context())
	if !strings.Contains(reads, "certificate") || !strings.Contains(sends, "certificate") {
		t.Errorf("%q %q", reads, sends)
	}
	gone := set
	gone.IMAP.Port, gone.SMTP.Port = 1, 1
	if reads, sends := made(t, s, gone, channel.Env{}).Check(t.Context()); !strings.Contains(reads, "cannot be reached") ||
		!strings.Contains(sends, "cannot be reached") {
		t.Errorf("%q %q", reads, sends)
	}

	w := mailtest.NewWire(t, s.IMAPS)
	cut := set
	cut.IMAP.Port = w.Port
	r := run(t, s, cut, "")
	r.Ready(t)
	w.Cut()
	select {
	case err := <-r.Ended:
		if !errors.As(err, &trouble) {
			t.Errorf("%v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it waits at a connection that is cut")
	}
}

// testSendCut: a server that has the mail and is gone before it says so leaves open whether it was sent; one that is gone before does
// not.
func testSendCut(t *testing.T, s *mailtest.Server) {
	t.Parallel()
	for sent, certain := range map[string]bool{"\r\n.\r\n": false, "MAIL FROM": true} {
		w := mailtest.NewWire(t, s.SMTP)
		set := settings(s, "cut")
		set.SMTP = wire.MailServer{Host: "127.0.0.1", Port: w.Port, TLS: wire.MailPlain}
		w.CutAfter(sent)
		err := send(t, made(t, s, set, channel.Env{}), channel.Outbound{ID: "1", To: "boss@example.com", Subject: "x", Text: "x"})
		var no *tool.Refused
		if err == nil || errors.As(err, &no) != certain {
			t.Errorf("%q: %v", sent, err)
		}
	}
	set := settings(s, "cut")
	large := channel.Outbound{ID: "1", To: "owner@unknown.invalid", Subject: "x", Text: strings.Repeat("x", 70_000_000)}
	err := send(t, made(t, s, set, channel.Env{}), large)
	var no *tool.Refused
	if !errors.As(err, &no) {
		t.Errorf("a mail that is too large: %v", err)
	}
}

// testFiles sends files with an answer: each as it is and under its name, once. A mail that breaks off among its files is of unknown
// outcome.
func testFiles(t *testing.T, s *mailtest.Server) {
	t.Parallel()
	o := channel.Outbound{ID: "files", To: "files@example.com", Subject: "Re: Offer", Text: "Here they are — Grüße", Files: []channel.File{
		{Name: "offer 1.pdf", Data: []byte("%PDF\xff\x00")}, {Name: "größe.txt", Data: bytes.Repeat([]byte("a line\n"), 100_000)},
	}}
	ch := made(t, s, settings(s, "team"), channel.Env{})
	if err := send(t, ch, o); err != nil {
		t.Fatal(err)
	}
	channeltest.Until(t, "the mail", func() bool { return len(s.Mails(t, "files")) == 1 })
	got := map[string]string{}
	r, err := gomail.CreateReader(strings.NewReader(s.Mails(t, "files")[0]))
	if err != nil {
		t.Fatal(err)
	}
	for {
		p, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(p.Body)
		if err != nil {
			t.Fatal(err)
		}
		name := ""
		if h, is := p.Header.(*gomail.AttachmentHeader); is {
			name, _ = h.Filename() // none is no name
		}
		got[name] = string(raw)
	}
	same := strings.TrimSpace(got[""]) == o.Text && got["offer 1.pdf"] == string(o.Files[0].Data)
	if len(got) != 3 || !same || got["größe.txt"] != string(o.Files[1].Data) {
		t.Errorf("%d parts, %.200q", len(got), got)
	}
	w := mailtest.NewWire(t, s.SMTP)
	set := settings(s, "cut")
	set.SMTP = wire.MailServer{Host: "127.0.0.1", Port: w.Port, TLS: wire.MailPlain}
	w.CutAt("Content-Disposition: attachment")
	o.ID = "cut"
	var no *tool.Refused
	if err := send(t, made(t, s, set, channel.Env{}), o); err == nil || errors.As(err, &no) {
		t.Errorf("cut off among the files: %v", err)
	}
}

// TestSettings: elsewhere than on this machine nothing goes unencrypted.
func TestSettings(t *testing.T) {
	t.Parallel()
	good := wire.MailSettings{
		Address: "team@team.example", User: "team", IMAP: wire.MailServer{Host: "imap.team.example", Port: 993, TLS: wire.MailImplicit},
		SMTP: wire.MailServer{Host: "smtp.team.example", Port: 587, TLS: wire.MailStartTLS},
	}
	for name, change := range map[string]func(*wire.MailSettings){
		"plain": func(s *wire.MailSettings) { s.IMAP.TLS = wire.MailPlain }, "port": func(s *wire.MailSettings) { s.SMTP.Port = 0 },
		"host":    func(s *wire.MailSettings) { s.IMAP.Host = "imap.team.example/x" },
		"address": func(s *wire.MailSettings) { s.Address = "A <a@b.example>" },
		"user":    func(s *wire.MailSettings) { s.User = "" }, "server": func(s *wire.MailSettings) { s.AuthServ = "mx; dmarc=pass" },
		"any": func(s *wire.MailSettings) { s.AuthServ = "*" }, "any of a country": func(s *wire.MailSettings) { s.AuthServ = "*.example" },
		"part of a word": func(s *wire.MailSettings) { s.AuthServ = "mx*.team.example" },
		"localhost":      func(s *wire.MailSettings) { s.IMAP = wire.MailServer{Host: "localhost", Port: 1, TLS: wire.MailPlain} },
	} {
		set := good
		change(&set)
		if _, err := makeOf(set); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if _, err := makeOf(good); err != nil {
		t.Error(err)
	}
}

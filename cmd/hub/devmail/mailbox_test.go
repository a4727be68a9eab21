package devmail

import (
	"context"
	"log/slog"
	"net"
	"net/smtp"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

// TestMailbox: what is written to the team lies in its mailbox, also after a restart and under the same number. A sender is sure only
// with the password, and under their own name.
func TestMailbox(t *testing.T) {
	t.Parallel()
	store, dir := open(t), t.TempDir()
	team := func() *Mailbox {
		m, err := OpenMailbox(dir, "team@example.com", "owner@example.com", time.Now)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	store.Team = team()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = Catch(ctx, l, store, slog.New(slog.DiscardHandler)) }()
	write := func(auth smtp.Auth, from, to string) error {
		raw := Letter{From: from, To: to, Subject: "Grüße", Text: "Good morning"}.Raw(time.Now())
		return smtp.SendMail(l.Addr().String(), auth, from, []string{to}, raw)
	}
	own := smtp.PlainAuth("", "owner@example.com", store.Team.Password, "127.0.0.1")
	if err := write(own, "owner@example.com", "team@example.com"); err != nil {
		t.Fatal(err)
	}
	if err := write(own, "boss@example.com", "Team@example.com"); err != nil {
		t.Fatal(err)
	}
	if err := write(nil, "owner@example.com", "team@example.com"); err != nil {
		t.Fatal(err)
	}
	if err := write(own, "owner@example.com", "someone@example.com"); err != nil {
		t.Fatal(err)
	}
	if write(smtp.PlainAuth("", "owner@example.com", "wrong", "127.0.0.1"), "owner@example.com", "team@example.com") == nil {
		t.Error("a wrong password was taken")
	}
	for range 2 {
		all := read(t, team())
		if len(all) != 3 {
			t.Fatalf("%d mails", len(all))
		}
		for i, want := range []string{"dmarc=pass header.from=example.com", "dmarc=none", "dmarc=none"} {
			if !strings.HasPrefix(all[i], "Authentication-Results: "+AuthServ+"; "+want+"\r\n") {
				t.Errorf("%d: %.200s", i, all[i])
			}
		}
	}
}

// read gives the mails of a mailbox as a mail program reads them.
func read(t *testing.T, m *Mailbox) (all []string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- m.ServeIMAP(ctx, l, slog.New(slog.DiscardHandler)) }()
	c, err := imapclient.DialInsecure(l.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Login(m.Address, m.Password).Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Select("INBOX", nil).Wait(); err != nil {
		t.Fatal(err)
	}
	whole := &imap.FetchItemBodySection{Peek: true}
	options := imap.FetchOptions{UID: true, BodySection: []*imap.FetchItemBodySection{whole}}
	got, err := c.Fetch(imap.UIDSet{{Start: 1, Stop: 0}}, &options).Collect()
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range got {
		if one.UID != imap.UID(i+1) {
			t.Errorf("number %d at %d", one.UID, i)
		}
		all = append(all, string(one.FindBodySection(whole)))
	}
	_ = c.Close() // the test has read what it wanted
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return all
}

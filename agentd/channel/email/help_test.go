package email_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/channel/channeltest"
	"gatehouse/agentd/channel/email"
	"gatehouse/agentd/channel/email/mailtest"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// server is the mail server. It lives as long as the test that is given.
func server(t *testing.T) *mailtest.Server {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("Postfix needs to be root")
	}
	return mailtest.Start(t, "team@team.example", "odd@team.example", "faults@team.example", "cut@team.example", "owner@example.com",
		"boss@example.com", "files@example.com")
}

// settings are those of a mailbox of the server.
func settings(s *mailtest.Server, box string) wire.MailSettings {
	a := box + "@team.example"
	return wire.MailSettings{
		Address: a, User: a, AuthServ: "mx.team.example",
		IMAP: wire.MailServer{Host: "127.0.0.1", Port: s.IMAPS, TLS: wire.MailImplicit},
		SMTP: wire.MailServer{Host: "127.0.0.1", Port: s.SMTP, TLS: wire.MailStartTLS},
	}
}

func made(t *testing.T, s *mailtest.Server, set wire.MailSettings, e channel.Env) channel.Channel {
	t.Helper()
	if e.Password == nil {
		e.Password = func(context.Context) (secret.Value, error) { return secret.New(mailtest.Password), nil }
	}
	if e.Up == nil {
		e.Up = func(string) {}
	}
	e.Now, e.Log = time.Now, slog.New(slog.DiscardHandler)
	ch, err := email.Kind(s.Roots).Make(channel.Settings{Mail: set}, e)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// run has a mailbox hand on what comes after a cursor.
func run(t *testing.T, s *mailtest.Server, set wire.MailSettings, cursor string) *channeltest.Reader {
	t.Helper()
	return channeltest.Run(t, cursor, func(up func(string)) channel.Channel {
		return made(t, s, set, channel.Env{Cursor: cursor, Up: up})
	})
}

// mail puts a mail together.
func mail(from, to, id, subject, body string, headers ...string) string {
	head := fmt.Sprintf("From: %s\nTo: %s\nSubject: %s\nMessage-ID: %s\nDate: %s\n", from, to, subject, id,
		time.Now().Format(time.RFC1123Z))
	return strings.Join(headers, "\n") + strings.Repeat("\n", min(len(headers), 1)) + head + "\n" + body + "\n"
}

// send sends through a real gate, and gives what the channel said.
func send(t *testing.T, ch channel.Channel, o channel.Outbound) error {
	t.Helper()
	_, err := channeltest.Send(t, ch, o)
	return err
}

func makeOf(s wire.MailSettings) (channel.Channel, error) {
	return email.Kind(nil).Make(channel.Settings{Mail: s}, channel.Env{})
}

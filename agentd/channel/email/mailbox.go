package email

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// Mailbox is the channel of one mailbox.
type Mailbox struct {
	set   wire.MailSettings
	env   channel.Env
	roots *x509.CertPool
}

// Kind is that of mailboxes that trust these certificates; nil: those of the system.
func Kind(roots *x509.CertPool) channel.Kind {
	return channel.Kind{Address: policy.Address, Make: func(s channel.Settings, e channel.Env) (channel.Channel, error) {
		if err := check(s.Mail); err != nil {
			return nil, err
		}
		return &Mailbox{set: s.Mail, env: e, roots: roots}, nil
	}}
}

// check says what is wrong with settings.
func check(s wire.MailSettings) error {
	if a, err := policy.Address(s.Address); err != nil || a != s.Address {
		return bad("The address of the mailbox is not one plain e-mail address in small letters. Nothing was saved.")
	}
	if s.User == "" || len(s.User) > 200 || strings.ContainsAny(s.User, "\r\n\x00") {
		return bad("The user name of the mailbox is missing. Nothing was saved.")
	}
	for _, m := range []wire.MailServer{s.IMAP, s.SMTP} {
		if err := checkServer(m); err != nil {
			return err
		}
	}
	if len(s.AuthServ) > 200 || strings.ContainsAny(s.AuthServ, " ;()\"\r\n\t") {
		return bad("The name of the server that checks senders is one word, such as mx.example.com. Nothing was saved.")
	}
	if name, any := strings.CutPrefix(s.AuthServ, "*."); strings.Contains(name, "*") || any && !strings.Contains(name, ".") {
		return bad("A star stands for the first part of the name alone, as in *.mail.example.com. Nothing was saved.")
	}
	return nil
}

func checkServer(m wire.MailServer) error {
	host, err := idna.Lookup.ToASCII(m.Host)
	ip := net.ParseIP(m.Host)
	switch {
	case (err != nil || host != m.Host || !strings.Contains(host, ".")) && ip == nil && m.Host != "localhost":
		return bad("The name of a mail server is not one, such as imap.example.com. Nothing was saved.")
	case m.Port < 1 || m.Port > 65535:
		return bad("The port of a mail server is a number from 1 to 65535. Nothing was saved.")
	case m.TLS == wire.MailPlain && !isLoopback(m.Host):
		return bad("A mail server elsewhere is reached encrypted only. Choose TLS or STARTTLS. Nothing was saved.")
	case m.TLS != wire.MailPlain && m.TLS != wire.MailImplicit && m.TLS != wire.MailStartTLS:
		return bad("Choose TLS or STARTTLS. Nothing was saved.")
	}
	return nil
}

func bad(text string) error { return &wire.RPCError{Code: "bad_request", Text: text} }

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Name implements channel.Channel.
func (*Mailbox) Name() string { return wire.ChannelEmail }

// Capabilities implements channel.Channel.
func (*Mailbox) Capabilities() channel.Capabilities {
	return channel.Capabilities{
		Threads: true, MaxFile: maxFile, MaxFiles: maxFiles, SendBytes: tool.MaxAttachment, SendFiles: wire.MaxFiles,
	}
}

// tls is how a server shows who it is.
func (m *Mailbox) tls(host string) *tls.Config {
	return &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12, RootCAs: m.roots}
}

func addr(s wire.MailServer) string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// domain is that of the mailbox's own address.
func (m *Mailbox) domain() string {
	_, domain, _ := strings.Cut(m.set.Address, "@")
	return domain
}

// Words for people about what does not work.
var (
	errNoPassword = &channel.Trouble{Text: "There is no password for the mailbox. Set it up again.", Hard: true}
	errRefused    = &channel.Trouble{
		Text: "The mail server refused the user name or the password. Many providers want a password of its own for programs.", Hard: true,
	}
	errUnreachable = &channel.Trouble{Text: "The mail server cannot be reached. It is tried again."}
	errUntrusted   = &channel.Trouble{
		Text: "The mail server cannot show that it is the one it should be (its certificate). Nothing was sent to it.", Hard: true,
	}
	errEnded = &channel.Trouble{Text: "The connection to the mail server ended. It is tried again."}
)

// dialTrouble says in words why a server cannot be reached.
func dialTrouble(err error) *channel.Trouble {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var verify *tls.CertificateVerificationError
	if errors.As(err, &unknown) || errors.As(err, &name) || errors.As(err, &invalid) || errors.As(err, &verify) {
		return errUntrusted
	}
	return errUnreachable
}

// Check implements channel.Channel. It asks both servers at once; one that is silent until ctx ends cannot be reached.
func (m *Mailbox) Check(ctx context.Context) (reads, sends string) {
	said := func(check func(context.Context) error) <-chan error {
		is := make(chan error, 1)
		go func() { is <- check(ctx) }()
		return is
	}
	text := func(is <-chan error) string {
		err := error(errUnreachable)
		select {
		case err = <-is:
		case <-ctx.Done():
		}
		var t *channel.Trouble
		switch {
		case err == nil:
			return ""
		case errors.As(err, &t):
			return t.Text
		}
		return errEnded.Text
	}
	in, out := said(m.checkIMAP), said(m.checkSMTP)
	return text(in), text(out)
}

package email

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"slices"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// How long a mail server may take for a mail, and for one with files.
const (
	mailWithin = 30 * time.Second
	fileWithin = 4 * time.Minute
)

// Send implements channel.Channel. A server that has the whole mail and does not answer leaves open whether it was sent.
func (m *Mailbox) Send(ctx context.Context, p gate.Permit, o channel.Outbound) (channel.Delivery, error) {
	msg, id, err := m.build(o)
	if err != nil {
		return channel.Delivery{}, tool.Refuse("The mail could not be put together. Nothing was sent.")
	}
	limit := mailWithin
	if len(o.Files) > 0 {
		limit = fileWithin
	}
	c, err := m.client(ctx, limit)
	if err != nil {
		return channel.Delivery{}, refusedFor(err)
	}
	if err := p.Redeem(o.Args); err != nil {
		return channel.Delivery{}, tool.Refuse("The permit to send was over. Nothing was sent.")
	}
	if err := c.DialWithContext(ctx); err != nil {
		return channel.Delivery{}, refusedFor(smtpTrouble(err))
	}
	err = c.Send(msg)
	_ = c.Close() // how the conversation ends changes nothing of what came of the mail
	if err == nil || msg.IsDelivered() {
		return channel.Delivery{ID: id}, nil
	}
	return channel.Delivery{}, failed(err)
}

func refusedFor(err error) error {
	var t *channel.Trouble
	if errors.As(err, &t) {
		return tool.Refuse("%s Nothing was sent.", t.Text)
	}
	return tool.Refuse("The mail server could not be reached. Nothing was sent.")
}

// build makes the mail. Its id is the same for the same message.
func (m *Mailbox) build(o channel.Outbound) (*gomail.Msg, string, error) {
	id := o.ID + "@" + m.domain()
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := errors.Join(msg.From(m.set.Address), msg.To(o.To)); err != nil {
		return nil, "", err
	}
	msg.SetMessageIDWithValue(id)
	msg.SetDateWithValue(m.env.Now().UTC())
	msg.Subject(o.Subject)
	if parent := messageID(o.Reply.ID); parent != "" {
		msg.SetGenHeaderPreformatted("In-Reply-To", parent)
		refs := slices.DeleteFunc(slices.Clone(o.Reply.Refs), func(r string) bool { return messageID(r) == "" || r == parent })
		msg.SetGenHeaderPreformatted("References", strings.Join(append(refs, parent), "\r\n "))
	}
	msg.SetGenHeader("Auto-Submitted", "auto-replied")
	msg.SetGenHeader("X-Auto-Response-Suppress", "All")
	msg.SetBodyString(gomail.TypeTextPlain, o.Text)
	for _, f := range o.Files {
		if err := msg.AttachReader(f.Name, bytes.NewReader(f.Data)); err != nil {
			return nil, "", err
		}
	}
	return msg, id, nil
}

// client speaks to the server of outgoing mail, encrypted unless it is on this machine. When ctx ends the connection does.
func (m *Mailbox) client(ctx context.Context, limit time.Duration) (*gomail.Client, error) {
	password, err := m.env.Password(ctx)
	if err != nil {
		return nil, err
	}
	if password.Empty() {
		return nil, errNoPassword
	}
	s := m.set.SMTP
	options := []gomail.Option{
		gomail.WithPort(s.Port), gomail.WithTimeout(limit), gomail.WithHELO("localhost"),
		gomail.WithTLSConfig(m.tls(s.Host)), gomail.WithUsername(m.set.User), gomail.WithPassword(password.Reveal()),
	}
	switch s.TLS {
	case wire.MailImplicit:
		options = append(options, gomail.WithSSL(), gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover))
	case wire.MailStartTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory), gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS), gomail.WithSMTPAuth(gomail.SMTPAuthPlainNoEnc))
	}
	c, err := gomail.NewClient(s.Host, options...)
	if err != nil {
		return nil, fmt.Errorf("smtp: %w", err)
	}
	return c, nil
}

// smtpTrouble says in words why nobody could sign in.
func smtpTrouble(err error) *channel.Trouble {
	var no *textproto.Error
	var dial net.Error
	switch {
	case errors.As(err, &no) && (no.Code == 535 || no.Code == 534 || no.Code == 530):
		return errRefused
	case errors.As(err, &dial) && dial.Timeout():
		return errUnreachable
	}
	return dialTrouble(err)
}

func (m *Mailbox) checkSMTP(ctx context.Context) error {
	c, err := m.client(ctx, mailWithin)
	if err != nil {
		return err
	}
	if err := c.DialWithContext(ctx); err != nil {
		return smtpTrouble(err)
	}
	_ = c.Close() // how the conversation ends changes nothing of what was found
	return nil
}

// failed says what came of a mail that the server has not taken: it turned it down with a code of its own, or was never given it. What
// it said beside the code is from outside. Of any other failure nobody knows whether the mail left.
func failed(err error) error {
	var e *gomail.SendError
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case e.ErrorCode() != 0 && slices.Contains(answered, e.Reason):
		return tool.Refuse("The mail server refused the mail with code %d (%s). Nothing was sent.", e.ErrorCode(), e.Reason)
	case slices.Contains(before, e.Reason):
		return tool.Refuse("The mail could not be given to the mail server (%s). Nothing was sent.", e.Reason)
	}
	return err
}

// Where a conversation can fail: at commands to which the server's answer may be no, and before it has the mail.
var (
	answered = []gomail.SendErrReason{gomail.ErrSMTPMailFrom, gomail.ErrSMTPRcptTo, gomail.ErrSMTPData, gomail.ErrSMTPDataClose}
	before   = []gomail.SendErrReason{
		gomail.ErrGetSender, gomail.ErrGetRcpts, gomail.ErrConnCheck,
		gomail.ErrSMTPMailFrom, gomail.ErrSMTPRcptTo, gomail.ErrSMTPData,
	}
)

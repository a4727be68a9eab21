package message

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
)

// build makes the mail. Its id is the same for the same call.
func (t *Tool) build(callID string, in policy.MessageArgs) (*gomail.Msg, string, error) {
	from, err := mail.ParseAddress(t.cfg.From)
	if err != nil {
		return nil, "", fmt.Errorf("sender %q: %w", t.cfg.From, err)
	}
	_, domain, _ := strings.Cut(from.Address, "@")
	id := callID + "@" + domain
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := errors.Join(m.From(from.String()), m.To(in.To)); err != nil {
		return nil, "", err
	}
	m.SetMessageIDWithValue(id)
	m.SetDateWithValue(t.cfg.Now().UTC())
	m.Subject(in.Subject)
	m.SetBodyString(gomail.TypeTextPlain, in.Text)
	return m, id, nil
}

// send hands the mail to the mail server. What the server says no to is for the model; what nobody knows the end of
// is not.
func (t *Tool) send(ctx context.Context, m *gomail.Msg) error {
	c, err := t.client(ctx)
	if err != nil {
		return fmt.Errorf("message: %w", err)
	}
	if err := c.DialWithContext(ctx); err != nil {
		return tool.Refuse("The mail server could not be reached. Nothing was sent.")
	}
	err = c.Send(m)
	_ = c.Close() // how the conversation ends changes nothing of what came of the mail
	if err == nil || m.IsDelivered() {
		return nil
	}
	return failed(err)
}

// client speaks to the server; TLS when the server offers it. When ctx ends the connection does: the library would
// wait for the server's answer.
func (t *Tool) client(ctx context.Context) (*gomail.Client, error) {
	host, port, err := net.SplitHostPort(t.cfg.Addr)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return nil, err
	}
	return gomail.NewClient(host, gomail.WithTLSPortPolicy(gomail.TLSOpportunistic), gomail.WithPort(n),
		gomail.WithTimeout(20*time.Second), gomail.WithHELO("localhost"), gomail.WithDialContextFunc(until(ctx)))
}

// until dials connections that end with the call.
func until(call context.Context) gomail.DialContextFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		var d net.Dialer
		conn, err := d.DialContext(ctx, network, addr)
		if err == nil {
			context.AfterFunc(call, func() { _ = conn.Close() })
		}
		return conn, err
	}
}

// failed says what came of a mail that the server has not taken: it turned it down with a code of its own, or was never
// given it. What it said beside the code is from outside, and nothing would mark it here. Of any other failure nobody
// knows whether the mail left.
func failed(err error) error {
	var e *gomail.SendError
	if !errors.As(err, &e) {
		return fmt.Errorf("message: %w", err)
	}
	switch {
	case e.ErrorCode() != 0 && slices.Contains(answered, e.Reason):
		return tool.Refuse("The mail server refused the mail with code %d (%s). Nothing was sent.", e.ErrorCode(), e.Reason)
	case slices.Contains(before, e.Reason):
		return tool.Refuse("The mail could not be given to the mail server (%s). Nothing was sent.", e.Reason)
	}
	return fmt.Errorf("message: %w", err)
}

// Where a conversation can fail: at commands to which the server's answer may be no, and before it has the mail.
var (
	answered = []gomail.SendErrReason{gomail.ErrSMTPMailFrom, gomail.ErrSMTPRcptTo, gomail.ErrSMTPData, gomail.ErrSMTPDataClose}
	before   = []gomail.SendErrReason{gomail.ErrGetSender, gomail.ErrGetRcpts, gomail.ErrConnCheck, gomail.ErrSMTPMailFrom, gomail.ErrSMTPRcptTo, gomail.ErrSMTPData}
)

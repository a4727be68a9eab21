package mailer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strconv"
	"time"

	"github.com/wneessen/go-mail"
)

// Message is one letter to one person.
type Message struct {
	ID      string // the same for every try, so that mail programs drop a repeat
	To      string // one address
	Subject string
	HTML    string
	Text    string
}

// ErrRefused says that the mail server will never take this message: trying again cannot help.
var ErrRefused = errors.New("mail server refuses the message for good")

// SMTP hands letters to one mail server.
type SMTP struct {
	Addr     string // host:port
	From     string // address of the sender, with or without a name
	User     string // empty: no sign-in
	Password string
	TLS      bool   // insist on TLS; without it, TLS is used when the server offers it
	Name     string // what this hub calls itself, as in Message-ID
}

// sendWithin is how long one letter may take.
const sendWithin = 30 * time.Second

// Send hands m over. It returns after the server has taken it.
func (s *SMTP) Send(ctx context.Context, m Message) error {
	msg, err := s.compose(m)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	client, err := s.client()
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	if err := client.DialAndSendWithContext(ctx, msg); err != nil {
		return fmt.Errorf("mail: %w", forGood(err))
	}
	return nil
}

func (s *SMTP) compose(m Message) (*mail.Msg, error) {
	msg := mail.NewMsg()
	err := errors.Join(msg.From(s.From), msg.To(m.To))
	msg.Subject(m.Subject)
	msg.SetMessageIDWithValue(m.ID + "@" + s.Name)
	msg.SetDate()
	msg.SetGenHeader(mail.HeaderXAutoResponseSuppress, "All")
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(mail.TypeTextPlain, m.Text)
	msg.AddAlternativeString(mail.TypeTextHTML, m.HTML)
	return msg, err
}

func (s *SMTP) client() (*mail.Client, error) {
	host, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, fmt.Errorf("port of %s: %w", s.Addr, err)
	}
	opts := []mail.Option{mail.WithPort(number), mail.WithTimeout(sendWithin), mail.WithHELO(s.Name), mail.WithTLSPolicy(mail.TLSOpportunistic)}
	if s.TLS {
		opts = append(opts, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if s.User != "" {
		opts = append(opts, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(s.User), mail.WithPassword(s.Password))
	}
	return mail.NewClient(host, opts...)
}

// forGood marks refusals with a 5xx code.
func forGood(err error) error {
	var se *mail.SendError
	var te *textproto.Error
	if errors.As(err, &se) && !se.IsTemp() && se.ErrorCode() >= 500 || errors.As(err, &te) && te.Code >= 500 {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return err
}

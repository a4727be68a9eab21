package devmail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

const (
	maxMail       = 10 << 20
	maxRecipients = 50
	ioLimit       = 30 * time.Second
)

// Catch takes mail on l and keeps it in store until ctx ends. It accepts any recipient and passes nothing on.
func Catch(ctx context.Context, l net.Listener, store *Store, log *slog.Logger) error {
	srv := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{store: store, log: log}, nil }))
	srv.Domain = "localhost"
	srv.MaxMessageBytes, srv.MaxRecipients = maxMail, maxRecipients
	srv.ReadTimeout, srv.WriteTimeout = ioLimit, ioLimit
	srv.EnableSMTPUTF8, srv.AllowInsecureAuth = true, true // on loopback
	stop := context.AfterFunc(ctx, func() { _ = srv.Close() })
	defer stop()
	if err := srv.Serve(l); err != nil && !errors.Is(err, smtp.ErrServerClosed) && ctx.Err() == nil {
		return fmt.Errorf("mail catcher: %w", err)
	}
	return nil
}

// session is one SMTP conversation.
type session struct {
	store *Store
	log   *slog.Logger
	from  string
	to    []string
	user  string // who has signed in; empty: nobody, which nobody needs to
}

// AuthMechanisms implements smtp.AuthSession.
func (s *session) AuthMechanisms() []string {
	if s.store.Team == nil {
		return nil
	}
	return []string{sasl.Plain}
}

// Auth implements smtp.AuthSession: the team and the demo's owner sign in with the password of the mailbox.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if !s.store.Team.knows(user, password) {
			return smtp.ErrAuthFailed
		}
		s.user = user
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error { s.from = from; return nil }

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error { s.to = append(s.to, to); return nil }

func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	err = s.store.Add(s.from, s.to, raw)
	if err == nil && s.store.Team.takes(s.to) {
		err = s.store.Team.Deliver(s.user, raw)
	}
	if err != nil {
		s.log.Error("mail not kept", "error", err)
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "mail could not be kept, try again"}
	}
	return nil
}

func (s *session) Reset() { s.from, s.to = "", nil }

func (s *session) Logout() error { return nil }

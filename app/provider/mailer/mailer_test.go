package mailer_test

import (
	"errors"
	"io"
	"mime/multipart"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"

	"gatehouse/app/provider/mailer"
)

// catcher is a mail server that keeps what it takes and refuses with err when set.
type catcher struct {
	mu  sync.Mutex
	got []string
	err error
}

func (c *catcher) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{c}, nil }

type session struct{ c *catcher }

func (*session) Reset()                               {}
func (*session) Logout() error                        { return nil }
func (*session) Mail(string, *smtp.MailOptions) error { return nil }
func (s *session) Rcpt(string, *smtp.RcptOptions) error {
	return s.c.err
}

func (s *session) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	s.c.got = append(s.c.got, string(b))
	return err
}

func catch(t *testing.T, refuse error) (*catcher, *mailer.SMTP) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &catcher{err: refuse}
	srv := smtp.NewServer(c)
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	t.Cleanup(func() {
		_ = srv.Close()
		t.Log("catcher ended:", <-done)
	})
	return c, &mailer.SMTP{Addr: l.Addr().String(), From: "Gatehouse <team@example.com>", Name: "hub.example"}
}

var letter = mailer.Message{
	ID: "job-7", To: "someone@example.com", Subject: "Bestätigen Sie\r\nBcc: other@example.com",
	HTML: "<p>Grüße</p>", Text: "Grüße",
}

func TestSMTP_Send(t *testing.T) {
	t.Parallel()
	c, s := catch(t, nil)
	if err := s.Send(t.Context(), letter); err != nil {
		t.Fatal(err)
	}
	if len(c.got) != 1 {
		t.Fatalf("%d letters arrived", len(c.got))
	}
	m, err := mail.ReadMessage(strings.NewReader(c.got[0]))
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]string{
		"Message-ID": "<job-7@hub.example>", "To": "<someone@example.com>", "From": `"Gatehouse" <team@example.com>`,
		"Bcc": "", "Auto-Submitted": "auto-generated",
	} {
		if got := m.Header.Get(header); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	_, boundary, _ := strings.Cut(m.Header.Get("Content-Type"), "boundary=")
	parts := multipart.NewReader(m.Body, strings.Trim(boundary, `"`))
	for _, want := range []string{"text/plain", "text/html"} {
		p, err := parts.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(p)
		if err != nil || !strings.HasPrefix(p.Header.Get("Content-Type"), want) || !strings.Contains(string(body), "Grüße") {
			t.Errorf("part %s: %q %q %v", want, p.Header, body, err)
		}
	}
}

func TestSMTP_Send_failures(t *testing.T) {
	t.Parallel()
	_, refusing := catch(t, &smtp.SMTPError{Code: 550, Message: "no such user"})
	_, busy := catch(t, &smtp.SMTPError{Code: 451, Message: "try later"})
	away := &mailer.SMTP{Addr: "127.0.0.1:1", From: "team@example.com", Name: "hub.example"}
	_, good := catch(t, nil)
	bad := letter
	bad.To = "one@example.com, two@example.com"
	for _, c := range []struct {
		situation string
		by        *mailer.SMTP
		m         mailer.Message
		forGood   bool
	}{
		{"refused for good", refusing, letter, true},
		{"refused for now", busy, letter, false},
		{"server away", away, letter, false},
		{"two addresses in one", good, bad, true},
	} {
		t.Run(c.situation, func(t *testing.T) {
			t.Parallel()
			err := c.by.Send(t.Context(), c.m)
			if err == nil || errors.Is(err, mailer.ErrRefused) != c.forGood {
				t.Errorf("error %v, for good should be %v", err, c.forGood)
			}
		})
	}
}

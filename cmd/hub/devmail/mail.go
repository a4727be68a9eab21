package devmail

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"
	"time"

	_ "github.com/emersion/go-message/charset" // mail comes in any character set
	"github.com/emersion/go-message/mail"
)

// Mail is a caught mail, taken apart for reading.
type Mail struct {
	ID       string
	From, To string
	Subject  string
	Received time.Time
	Text     string // text part, empty when there is none
	HTML     string // HTML part as it came: show it only in a sandboxed frame
}

// Get reads and takes apart one mail. What does not parse is shown as raw text: a catcher must show what it got.
func (s *Store) Get(id string) (Mail, error) {
	raw, err := s.Raw(id)
	if err != nil {
		return Mail{}, err
	}
	m, err := parse(raw)
	if err != nil {
		m = Mail{Subject: "(mail that does not parse)", Text: string(raw)}
	}
	m.ID = id
	return m, nil
}

func parse(raw []byte) (Mail, error) {
	r, err := mail.CreateReader(bytes.NewReader(raw))
	if err != nil {
		return Mail{}, fmt.Errorf("parse mail: %w", err)
	}
	defer func() { _ = r.Close() }()
	m := Mail{From: r.Header.Get("X-Envelope-From"), To: r.Header.Get("X-Envelope-To")}
	m.Received, _ = time.Parse(time.RFC3339, r.Header.Get("X-Received"))
	if m.Subject, err = r.Header.Subject(); err != nil {
		m.Subject = r.Header.Get("Subject")
	}
	for {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return m, nil
		}
		if err != nil {
			return Mail{}, fmt.Errorf("parse mail: %w", err)
		}
		if err := m.take(part); err != nil {
			return Mail{}, err
		}
	}
}

func (m *Mail) take(part *mail.Part) error {
	h, ok := part.Header.(*mail.InlineHeader)
	if !ok {
		return nil // attachments are in the raw mail
	}
	body, err := io.ReadAll(part.Body)
	if err != nil {
		return fmt.Errorf("parse mail: %w", err)
	}
	if kind, _, _ := h.ContentType(); strings.EqualFold(kind, "text/html") {
		m.HTML += string(body)
		return nil
	}
	m.Text += string(body)
	return nil
}

// encoded is a header that may hold any letters.
func encoded(text string) string { return mime.QEncoding.Encode("utf-8", text) }

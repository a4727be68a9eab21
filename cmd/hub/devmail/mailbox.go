package devmail

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
	"github.com/google/uuid"
)

// AuthServ is the name by which the demo's mail server signs what it says about senders.
const AuthServ = "mx.demo.example"

// Mailbox is that of the demo's team: mails to its address lie in it, oldest first, and are read by IMAP. It keeps them all, so that
// each has the same number after a restart.
type Mailbox struct {
	Address  string
	Owner    string // who may write as themselves, with the password
	Password string

	dir  string
	now  func() time.Time
	user *imapmemserver.User

	mu sync.Mutex // of Deliver: files and the mailbox have one order
}

// OpenMailbox opens the mailbox in dir, or makes it.
func OpenMailbox(dir, address, owner string, now func() time.Time) (*Mailbox, error) {
	m := &Mailbox{Address: address, Owner: owner, dir: dir, now: now}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("demo mailbox: %w", err)
	}
	if err := m.password(); err != nil {
		return nil, err
	}
	m.user = imapmemserver.NewUser(address, m.Password)
	if err := m.user.Create("INBOX", nil); err != nil {
		return nil, fmt.Errorf("demo mailbox: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.eml"))
	if err != nil {
		return nil, fmt.Errorf("demo mailbox: %w", err)
	}
	slices.Sort(files) // UUIDv7 sorts by time
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err == nil {
			err = m.add(raw)
		}
		if err != nil {
			return nil, fmt.Errorf("demo mailbox: %w", err)
		}
	}
	return m, nil
}

// password reads that of the mailbox; a new mailbox gets one.
func (m *Mailbox) password() error {
	file := filepath.Join(m.dir, "password")
	raw, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		raw = []byte(rand.Text())
		err = os.WriteFile(file, raw, 0o600)
	}
	if err != nil {
		return fmt.Errorf("demo mailbox: %w", err)
	}
	m.Password = string(raw)
	return nil
}

// add puts a mail into the mailbox that is read.
func (m *Mailbox) add(raw []byte) error {
	_, err := m.user.Append("INBOX", &literal{*bytes.NewReader(raw)}, &imap.AppendOptions{Time: m.now()})
	return err
}

type literal struct{ bytes.Reader }

// takes says whether a mail to somebody is for this mailbox.
func (m *Mailbox) takes(to []string) bool {
	return m != nil && slices.ContainsFunc(to, func(a string) bool { return strings.EqualFold(a, m.Address) })
}

// knows says whether somebody signs in with the password.
func (m *Mailbox) knows(user, password string) bool {
	return m != nil && (user == m.Address || user == m.Owner) && password == m.Password
}

// Deliver puts a mail into the mailbox. user is who has signed in to send it: the mail is theirs for sure if it says so itself, and
// of all others nothing is known.
func (m *Mailbox) Deliver(user string, raw []byte) error {
	verdict := "dmarc=none"
	if from := fromOf(raw); user != "" && from == user {
		_, domain, _ := strings.Cut(from, "@")
		verdict = "dmarc=pass header.from=" + domain
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("demo mailbox: %w", err)
	}
	raw = append([]byte("Authentication-Results: "+AuthServ+"; "+verdict+"\r\n"), raw...)
	file := filepath.Join(m.dir, id.String()+".eml")
	if err := os.WriteFile(file+".new", raw, 0o600); err != nil {
		return fmt.Errorf("demo mailbox: %w", err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		return fmt.Errorf("demo mailbox: %w", err)
	}
	return m.add(raw)
}

// fromOf is the one address that a mail says it comes from; empty: there is none, or there are several.
func fromOf(raw []byte) string {
	msg, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil || len(msg.Header["From"]) != 1 {
		return ""
	}
	all, err := msg.Header.AddressList("From")
	if err != nil || len(all) != 1 {
		return ""
	}
	return strings.ToLower(all[0].Address)
}

// ServeIMAP lets the mailbox be read on l until ctx ends. It closes l.
func (m *Mailbox) ServeIMAP(ctx context.Context, l net.Listener, log *slog.Logger) error {
	users := imapmemserver.New()
	users.AddUser(m.user)
	srv := imapserver.New(&imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return users.NewSession(), nil, nil
		},
		Caps: imap.CapSet{imap.CapIMAP4rev1: {}, imap.CapIMAP4rev2: {}, imap.CapIdle: {}}, InsecureAuth: true,
		Logger: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	})
	stop := context.AfterFunc(ctx, func() { _ = srv.Close() })
	defer stop()
	if err := srv.Serve(l); err != nil && ctx.Err() == nil {
		return fmt.Errorf("demo mailbox: %w", err)
	}
	return nil
}

// Letter is a mail that somebody writes to the team.
type Letter struct{ From, To, Subject, Text string }

// Raw is the mail as it travels.
func (l Letter) Raw(at time.Time) []byte {
	var b bytes.Buffer
	_, domain, _ := strings.Cut(l.From, "@")
	fmt.Fprintf(&b, "From: <%s>\r\nTo: <%s>\r\nSubject: %s\r\nDate: %s\r\nMessage-ID: <%s@%s>\r\n", line(l.From), line(l.To),
		encoded(line(l.Subject)), at.Format(time.RFC1123Z), uuid.NewString(), domain)
	b.WriteString("MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n")
	text := strings.ReplaceAll(strings.ReplaceAll(l.Text, "\r\n", "\n"), "\n", "\r\n")
	_, _ = io.WriteString(&b, text+"\r\n") // a buffer takes everything
	return b.Bytes()
}

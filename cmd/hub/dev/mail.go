package dev

import (
	"context"
	"fmt"
	"net"
	"net/smtp"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gatehouse/cmd/hub/devmail"
)

// catchMail starts the mail catcher on the port it had before, if that is free: local servers that were adopted know
// that one.
func (c Config) catchMail(ctx context.Context) (*devmail.Store, string, error) {
	store, err := devmail.OpenStore(filepath.Join(c.Dir, "mail"), c.Now)
	if err == nil {
		store.Team, err = devmail.OpenMailbox(filepath.Join(c.Dir, "mailbox"), TeamAddress, OwnerAddress, c.Now)
	}
	if err != nil {
		return nil, "", err
	}
	note := filepath.Join(c.Dir, "smtp.addr")
	l, err := listenAgain(note)
	if err != nil {
		return nil, "", fmt.Errorf("mail catcher: %w", err)
	}
	addr := l.Addr().String()
	if err := os.WriteFile(note, []byte(addr+"\n"), 0o600); err != nil {
		return nil, "", fmt.Errorf("mail catcher: %w", err)
	}
	go func() {
		if err := devmail.Catch(ctx, l, store, c.Log); err != nil {
			c.Log.ErrorContext(ctx, "mail catcher ended", "error", err)
		}
	}()
	return store, addr, nil
}

// Addresses of the demo.
const (
	OwnerAddress = "owner@example.com"
	TeamAddress  = "team@example.com"
)

// serveMailbox lets the team's mailbox be read, on the port that it had before if that is free.
func (c Config) serveMailbox(ctx context.Context, m *devmail.Mailbox) (string, error) {
	note := filepath.Join(c.Dir, "imap.addr")
	l, err := listenAgain(note)
	if err != nil {
		return "", fmt.Errorf("demo mailbox: %w", err)
	}
	addr := l.Addr().String()
	if err := os.WriteFile(note, []byte(addr+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("demo mailbox: %w", err)
	}
	go func() {
		if err := m.ServeIMAP(ctx, l, c.Log); err != nil {
			c.Log.ErrorContext(ctx, "demo mailbox ended", "error", err)
		}
	}()
	return addr, nil
}

// Write sends the team a mail of the demo's owner, as a mail program would, while the demo runs.
func Write(dir, subject, text string, now time.Time) error {
	store, err := devmail.OpenMailbox(filepath.Join(dir, "mailbox"), TeamAddress, OwnerAddress, time.Now)
	if err != nil {
		return err
	}
	addr, err := os.ReadFile(filepath.Join(dir, "smtp.addr"))
	if err != nil {
		return fmt.Errorf("the demo does not run here: %w", err)
	}
	at := strings.TrimSpace(string(addr))
	host, _, err := net.SplitHostPort(at)
	if err != nil {
		return fmt.Errorf("the demo's mail server: %w", err)
	}
	letter := devmail.Letter{From: OwnerAddress, To: TeamAddress, Subject: subject, Text: text}
	auth := smtp.PlainAuth("", OwnerAddress, store.Password, host)
	if err := smtp.SendMail(at, auth, letter.From, []string{letter.To}, letter.Raw(now)); err != nil {
		return fmt.Errorf("write to the team: %w", err)
	}
	return nil
}

func listenAgain(note string) (net.Listener, error) {
	if b, err := os.ReadFile(note); err == nil {
		if l, err := net.Listen("tcp", strings.TrimSpace(string(b))); err == nil {
			return l, nil
		}
	}
	return net.Listen("tcp", "127.0.0.1:0")
}

package devmail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/smtp"
	"strings"
	"testing"
	"time"
)

func open(t *testing.T) *Store {
	t.Helper()
	s, err := OpenStore(t.TempDir(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCatch_keepsWhatWasSent(t *testing.T) {
	t.Parallel()
	store := open(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Catch(ctx, l, store, slog.New(slog.DiscardHandler)) }()
	body := "Subject: =?utf-8?q?We_open_at_nine_=E2=98=95?=\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nGood morning\r\n.. a line that starts with a dot\r\n"
	if err := smtp.SendMail(l.Addr().String(), nil, "team@example.com", []string{"someone@example.com"}, []byte(body)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	ids, err := store.IDs()
	if err != nil || len(ids) != 1 {
		t.Fatalf("mails: %v, %v; want one", ids, err)
	}
	m, err := store.Get(ids[0])
	if err != nil {
		t.Fatal(err)
	}
	if m.Subject != "We open at nine ☕" || m.To != "someone@example.com" || m.From != "team@example.com" || !strings.Contains(m.Text, "Good morning") {
		t.Fatalf("caught %+v", m)
	}
}

func TestStore_keepsTheNewest(t *testing.T) {
	t.Parallel()
	s := open(t)
	for i := range Keep + 3 {
		if err := s.Add("a@example.com", []string{"b@example.com"}, fmt.Appendf(nil, "Subject: %d\r\n\r\nx\r\n", i)); err != nil {
			t.Fatal(err)
		}
	}
	ids, err := s.IDs()
	if err != nil || len(ids) != Keep {
		t.Fatalf("%d mails, %v; want %d", len(ids), err, Keep)
	}
	newest, err := s.Get(ids[0])
	if err != nil || newest.Subject != fmt.Sprint(Keep+2) {
		t.Fatalf("newest is %q, %v", newest.Subject, err)
	}
}

func TestStore_badIDs(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, id := range []string{"", "../secret", "x", "00000000-0000-7000-8000-000000000000"} {
		if _, err := s.Get(id); !errors.Is(err, ErrNotFound) {
			t.Errorf("Get(%q): %v, want ErrNotFound", id, err)
		}
	}
}

func TestStore_envelopeStaysOnItsLine(t *testing.T) {
	t.Parallel()
	s := open(t)
	if err := s.Add("a@example.com\r\nSubject: forged", []string{"b@example.com"}, []byte("Subject: real\r\n\r\nx\r\n")); err != nil {
		t.Fatal(err)
	}
	ids, _ := s.IDs()
	m, err := s.Get(ids[0])
	if err != nil || m.Subject != "real" {
		t.Fatalf("subject %q, %v", m.Subject, err)
	}
}

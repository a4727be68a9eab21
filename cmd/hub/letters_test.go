package main

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/billing"
	"gatehouse/app/provider/mailer"
	"gatehouse/cmd/hub/devmail"
	"gatehouse/db"
	"gatehouse/jobs"
)

// TestApprovalMail is the whole way of a mail about an approval that waits: found by a chore, queued, written when it is
// sent, handed to a real mail server. It says who asks for which tool, and nothing of what is asked.
func TestApprovalMail(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	for _, q := range []string{"UPDATE users SET verified_at = now()", "UPDATE customers SET time_zone = 'Asia/Tokyo'"} {
		_, err := w.db.Pool.Exec(t.Context(), q)
		ok(t, err)
	}
	smtp, caught := catchMail(t)
	queue, err := jobs.NewQueue(w.db.Pool, slog.New(slog.DiscardHandler))
	ok(t, err)
	mails := &approval.Mails{Store: &db.ApprovalMails{DB: w.db, Jobs: queue}, Now: func() time.Time { return time.Now().Add(11 * time.Minute) }}
	workers, err := jobs.NewWorkers(w.db.Pool, jobs.Deps{
		Orders: w.orders, Servers: w.servers, People: w.accounts, Team: w.team, Letters: w.accounts, Addresses: w.accounts, Write: letters(w.url),
		Reminders: mails, WriteReminder: reminders(w.url), Mailer: smtp, Chores: []jobs.Chore{{Name: "mails about approvals", Do: mails.Remind}},
		Setups: w.setups, History: &db.History{DB: w.db}, Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	ok(t, err)
	_, err = mails.Remind(t.Context())
	ok(t, err)
	ok(t, workers.Start(t.Context()))
	defer func() { ok(t, workers.Stop(context.WithoutCancel(t.Context()))) }()
	m := firstMail(t, caught)
	if m.To != "zzmine@example.com" || m.Subject != "A request needs your approval" {
		t.Errorf("to %s: %s", m.To, m.Subject)
	}
	for _, text := range []string{m.Text, m.HTML} {
		flat := strings.Join(strings.Fields(text), " ")
		if !strings.Contains(flat, "K7M2QX: IT admin wants to delete files (Deletes or removes)") || !strings.Contains(flat, " JST.") || !strings.Contains(flat, w.url+"/app/approvals/"+w.asked) {
			t.Errorf("the mail says %s", text)
		}
		if body, _, _ := strings.Cut(strings.ReplaceAll(flat, "Hello zzmine", ""), "-- Gatehouse"); strings.Contains(body, "zzmine") {
			t.Errorf("the mail tells what is asked: %s", text)
		}
	}
	_, err = mails.Remind(t.Context())
	ok(t, err)
	var queued int
	ok(t, w.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE kind = 'mail_approvals'").Scan(&queued))
	if queued != 1 {
		t.Errorf("%d mails were queued", queued)
	}
}

// TestPoolMail is the whole way of a mail about the tokens of a month, from the look at the pool on: in the owner's language, with what
// happens next, and once.
func TestPoolMail(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	_, err := w.db.Pool.Exec(t.Context(), "UPDATE users SET locale = 'de'")
	ok(t, err)
	var of account.CustomerID
	ok(t, w.db.Pool.QueryRow(t.Context(), "SELECT customer_id::text FROM users WHERE email = 'zzmine@example.com'").Scan(&of))
	smtp, caught := catchMail(t)
	queue, err := jobs.NewQueue(w.db.Pool, slog.New(slog.DiscardHandler))
	ok(t, err)
	from := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	bills := &billing.Service{
		Store: &db.Billing{DB: w.db, Jobs: queue}, Usage: &db.Usage{DB: w.db}, Now: func() time.Time { return from.Add(time.Hour) },
	}
	month := billing.Period{
		ID: billing.PeriodID(uuid.NewString()), CustomerID: of, Number: 1, Anchor: from, From: from, To: from.AddDate(0, 1, 0),
		FullTo: from.AddDate(0, 1, 0), State: billing.Active, Multiplier: 1,
		Plans: []billing.Span{{Plan: "build", Name: "Build", Monthly: 45_00, Pool: 15_000_000, From: from}},
	}
	_, err = bills.Store.Begin(t.Context(), month)
	ok(t, err)
	for _, drawn := range []int64{12_345_678, 12_999_999} {
		f := billing.Fill{Period: month.ID, CustomerID: of, Drawn: drawn, Pool: 15_000_000, At: from.Add(time.Hour), Until: month.To}
		_, err = bills.Store.KeepFill(t.Context(), f, billing.PoolNotice{ID: uuid.NewString(), Percent: f.Told(), Fill: f})
		ok(t, err)
	}
	letterbox := post{accounts: w.accounts, bills: bills}
	workers, err := jobs.NewWorkers(w.db.Pool, jobs.Deps{
		Orders: w.orders, Servers: w.servers, People: w.accounts, Team: w.team, Letters: letterbox, Addresses: w.accounts,
		Write: letters(w.url), Mailer: smtp, Setups: w.setups, History: &db.History{DB: w.db}, Log: slog.New(slog.DiscardHandler),
		Now: time.Now,
	})
	ok(t, err)
	ok(t, workers.Start(t.Context()))
	defer func() { ok(t, workers.Stop(context.WithoutCancel(t.Context()))) }()
	m := firstMail(t, caught)
	flat := strings.Join(strings.Fields(m.Text), " ")
	for _, part := range []string{"12.345.678 der 15.000.000 Tokens", "2. Apr", "pausiert Ihr Team", w.url + "/app/agents/limits"} {
		if !strings.Contains(flat, part) || m.To != "zzmine@example.com" {
			t.Errorf("to %s, without %q: %s", m.To, part, flat)
		}
	}
	var queued int
	ok(t, w.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE args ->> 'template' = 'pool_low'").Scan(&queued))
	if queued != 1 {
		t.Errorf("%d mails were queued", queued)
	}
}

// catchMail starts a mail server that keeps what it takes.
func catchMail(t *testing.T) (*mailer.SMTP, *devmail.Store) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	ok(t, err)
	store, err := devmail.OpenStore(t.TempDir(), time.Now)
	ok(t, err)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- devmail.Catch(ctx, l, store, slog.New(slog.DiscardHandler)) }()
	t.Cleanup(func() {
		stop()
		ok(t, <-done)
	})
	return &mailer.SMTP{Addr: l.Addr().String(), From: "hub@example.com", Name: "hub.example.com"}, store
}

// firstMail waits for the first mail.
func firstMail(t *testing.T, store *devmail.Store) devmail.Mail {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(time.Minute)
	for {
		ids, err := store.IDs()
		ok(t, err)
		if len(ids) > 0 {
			m, err := store.Get(ids[0])
			ok(t, err)
			return m
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("no mail came")
		}
	}
}

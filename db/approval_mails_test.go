package db_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/server"
	"gatehouse/app/work"
	"gatehouse/db"
)

// mailed is a business with a proven owner, and what mails are made for it.
type mailed struct {
	d    *db.DB
	of   order.New
	srv  server.Server
	jobs *queue
	now  time.Time
	m    *approval.Mails
}

func mailing(t *testing.T) *mailed {
	t.Helper()
	w := &mailed{d: fresh(t), jobs: &queue{}, now: t0}
	w.of, w.srv = withServer(t, w.d)
	w.prove(t, w.of)
	w.m = &approval.Mails{Store: &db.ApprovalMails{DB: w.d, Jobs: w.jobs}, Now: func() time.Time { return w.now }}
	return w
}

func (w *mailed) prove(t *testing.T, of order.New) {
	t.Helper()
	_, err := w.d.Pool.Exec(t.Context(), "UPDATE users SET verified_at = $2 WHERE customer_id = $1", string(of.Order.CustomerID), t0)
	must(t, err)
}

func (w *mailed) ask(t *testing.T, edit func(*approval.Item)) approval.Item {
	t.Helper()
	return askedOf(t, w.d, w.of.Order.CustomerID, w.srv.ID, func(a *approval.Item) {
		a.CreatedAt, a.ExpiresAt = w.now, w.now.Add(24*time.Hour)
		edit(a)
	})
}

// remind looks once, some time later, and gives what it queued.
func (w *mailed) remind(t *testing.T, later time.Duration) []work.MailApprovals {
	t.Helper()
	w.now = w.now.Add(later)
	before := len(w.jobs.items)
	n, err := w.m.Remind(t.Context())
	must(t, err)
	var out []work.MailApprovals
	for _, it := range w.jobs.items[before:] {
		out = append(out, it.(work.MailApprovals))
	}
	if len(out) != n {
		t.Fatalf("%d mails are said, %d queued", n, len(out))
	}
	return out
}

func plain(*approval.Item) {}

// TestApprovalMails_once: an approval is mailed about when it has waited, and never again; what comes soon after waits
// for the next mail, and all of it stands in one.
func TestApprovalMails_once(t *testing.T) {
	t.Parallel()
	w := mailing(t)
	first := w.ask(t, plain)
	if got := w.remind(t, 9*time.Minute); len(got) != 0 {
		t.Fatalf("mailed too soon: %v", got)
	}
	mails := w.remind(t, time.Minute)
	if len(mails) != 1 || mails[0].UserID != string(w.of.Account.Owner.ID) {
		t.Fatalf("mails %v", mails)
	}
	for i := range 12 {
		w.ask(t, func(a *approval.Item) { a.Code = fmt.Sprintf("K7M2%02d", i) })
		if got := w.remind(t, time.Minute); len(got) != 0 {
			t.Fatalf("a storm: %v", got)
		}
	}
	digest := w.remind(t, 20*time.Minute)
	if len(digest) != 1 {
		t.Fatalf("digest %v", digest)
	}
	r, err := w.m.Reminder(t.Context(), mails[0].Mail, mails[0].UserID)
	must(t, err)
	if len(r.Items) != 1 || r.Items[0].ID != first.ID || r.To != w.of.Account.Owner.Email {
		t.Errorf("the first mail says %+v", r)
	}
	r, err = w.m.Reminder(t.Context(), digest[0].Mail, digest[0].UserID)
	must(t, err)
	if len(r.Items) != 12 {
		t.Errorf("the digest names %d", len(r.Items))
	}
	if got := w.remind(t, 10*time.Hour); len(got) != 0 {
		t.Errorf("mailed again: %v", got)
	}
}

// TestApprovalMails_reminder: when a mail is sent it names what still waits, without what it asks.
func TestApprovalMails_reminder(t *testing.T) {
	t.Parallel()
	w := mailing(t)
	decided, soon := w.ask(t, plain), w.ask(t, func(a *approval.Item) { a.ExpiresAt = a.CreatedAt.Add(15 * time.Minute) })
	left := w.ask(t, func(a *approval.Item) {
		a.Summary, a.Reason, a.WhyAsked, a.Args = "oddword", "oddword", "oddword", []byte(`{"a":"oddword"}`)
		a.Facts = []wire.Fact{{Name: "files", Value: 14, Text: "oddword"}}
	})
	m := w.remind(t, 10*time.Minute)[0]
	read := func() (approval.Reminder, error) { return w.m.Reminder(t.Context(), m.Mail, m.UserID) }
	r, err := read()
	must(t, err)
	if len(r.Items) != 3 || r.Items[0].ID != soon.ID || strings.Contains(fmt.Sprintf("%+v", r), "oddword") {
		t.Errorf("the mail says %+v", r)
	}
	s := &db.Approvals{DB: w.d}
	deny := func(a approval.Item) {
		_, err := w.d.Pool.Exec(t.Context(), `UPDATE approvals SET state = 'denied', verb = 'deny', decided_by = '{}', decided_at = now(),
			summary = NULL, args = NULL, facts = NULL, reason = NULL, why_asked = NULL, diff = NULL, context = NULL WHERE id = $1`, a.ID)
		must(t, err)
	}
	deny(decided)
	w.now = w.now.Add(6 * time.Minute) // soon ran out
	r, err = read()
	must(t, err)
	if len(r.Items) != 1 || r.Items[0].ID != left.ID {
		t.Errorf("the mail says %+v", r.Items)
	}
	_, err = w.m.Reminder(t.Context(), m.Mail, id(t))
	wantKind(t, err, fault.NotFound)
	deny(left)
	_, err = read()
	wantKind(t, err, fault.NotFound)
	if got, err := s.Get(t.Context(), w.of.Order.CustomerID, left.ID); err != nil || got.State != wire.ApprovalDenied {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestApprovalMails_whom: an owner whose address is not confirmed gets mail until the mail server refuses it, and again once
// it is confirmed. Nobody gets mail about what ran out or was decided.
func TestApprovalMails_whom(t *testing.T) {
	t.Parallel()
	w := mailing(t)
	w.ask(t, func(a *approval.Item) { a.ExpiresAt = a.CreatedAt.Add(5 * time.Minute) })
	other, srv := withServer(t, w.d)
	askedOf(t, w.d, other.Order.CustomerID, srv.ID, func(a *approval.Item) { a.CreatedAt, a.ExpiresAt = w.now, w.now.Add(24*time.Hour) })
	owner := other.Account.Owner.ID
	got := w.remind(t, time.Hour)
	if len(got) != 1 || got[0].UserID != string(owner) {
		t.Fatalf("mails %v", got)
	}
	r, err := w.m.Reminder(t.Context(), got[0].Mail, string(owner))
	if err != nil || r.Proven {
		t.Errorf("reminder %+v, %v", r, err)
	}
	_, err = w.m.Reminder(t.Context(), got[0].Mail, string(w.of.Account.Owner.ID))
	wantKind(t, err, fault.NotFound)

	must(t, (&db.Accounts{DB: w.d}).MailRefused(t.Context(), owner, w.now))
	_, err = w.m.Reminder(t.Context(), got[0].Mail, string(owner))
	wantKind(t, err, fault.NotFound)
	askedOf(t, w.d, other.Order.CustomerID, srv.ID, func(a *approval.Item) { a.CreatedAt, a.ExpiresAt = w.now, w.now.Add(24*time.Hour) })
	if again := w.remind(t, time.Hour); len(again) != 0 {
		t.Errorf("mailed to a refused address: %v", again)
	}
	w.prove(t, other)
	if again := w.remind(t, 0); len(again) != 1 {
		t.Fatalf("mails %v", again)
	} else if r, err = w.m.Reminder(t.Context(), again[0].Mail, string(owner)); err != nil || !r.Proven {
		t.Errorf("reminder %+v, %v", r, err)
	}
}

// TestApprovalMails_atOnce: many hubs look at once, and make one mail.
func TestApprovalMails_atOnce(t *testing.T) {
	t.Parallel()
	w := mailing(t)
	w.ask(t, plain)
	w.now = w.now.Add(time.Hour)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := w.m.Remind(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if len(w.jobs.items) != 1 {
		t.Errorf("queued %v", w.jobs.items)
	}
}

// TestApprovalMails_failed: when nothing can be queued, nothing is marked as mailed.
func TestApprovalMails_failed(t *testing.T) {
	t.Parallel()
	w := mailing(t)
	w.ask(t, plain)
	w.jobs.err = fault.New(fault.Internal, "x", "the queue is away", "x")
	w.now = w.now.Add(time.Hour)
	if _, err := w.m.Remind(t.Context()); err == nil {
		t.Fatal("no error")
	}
	w.jobs.err = nil
	if got := w.remind(t, 0); len(got) != 1 {
		t.Errorf("mails %v", got)
	}
}

// TestApprovalMails_locked: while somebody decides the only approval that is due, there is no mail, and what came after it
// is not held up for it.
func TestApprovalMails_locked(t *testing.T) {
	t.Parallel()
	w := mailing(t)
	due := w.ask(t, plain)
	tx, err := w.d.Pool.Begin(t.Context())
	must(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }() // it was ended already, unless the test failed
	_, err = tx.Exec(t.Context(), "SELECT FROM approvals WHERE id = $1 FOR UPDATE", due.ID)
	must(t, err)
	w.now = w.now.Add(10 * time.Minute)
	soon := w.ask(t, plain)
	if got := w.remind(t, 0); len(got) != 0 {
		t.Fatalf("mailed about what is being decided: %v", got)
	}
	must(t, tx.Rollback(t.Context()))
	got := w.remind(t, time.Minute)
	if len(got) != 1 {
		t.Fatalf("mails %v", got)
	}
	r, err := w.m.Reminder(t.Context(), got[0].Mail, got[0].UserID)
	must(t, err)
	if len(r.Items) != 2 || r.Items[0].ID != due.ID || r.Items[1].ID != soon.ID {
		t.Errorf("the mail says %+v", r.Items)
	}
}

// TestApprovalMails_forget: mails go when nothing can come of them, and the approvals they were about stay.
func TestApprovalMails_forget(t *testing.T) {
	t.Parallel()
	w := mailing(t)
	about := w.ask(t, plain)
	old := w.remind(t, time.Hour)[0]
	forget := func(want int) {
		t.Helper()
		if n, err := w.m.Forget(t.Context()); err != nil || n != want {
			t.Fatalf("forgot %d, %v", n, err)
		}
	}
	w.now = w.now.Add(7 * 24 * time.Hour)
	forget(0)
	w.ask(t, plain)
	late := w.remind(t, 10*time.Minute)[0]
	forget(1)
	_, err := w.m.Reminder(t.Context(), old.Mail, old.UserID)
	wantKind(t, err, fault.NotFound)
	if r, err := w.m.Reminder(t.Context(), late.Mail, late.UserID); err != nil || len(r.Items) != 1 {
		t.Errorf("the newer mail: %+v, %v", r, err)
	}
	if _, err := (&db.Approvals{DB: w.d}).Get(t.Context(), w.of.Order.CustomerID, about.ID); err != nil {
		t.Error(err)
	}
}

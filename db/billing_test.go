package db_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/pricing"
	"gatehouse/app/work"
	"gatehouse/db"
)

// anInvoice is one of a period, not issued yet.
func anInvoice(t *testing.T, p billing.Period) billing.Invoice {
	t.Helper()
	return billing.Invoice{
		ID: billing.InvoiceID(id(t)), CustomerID: p.CustomerID, PeriodID: p.ID, From: p.From, To: p.To, Net: 45_00, Tax: 9_00,
		Total: 54_00, Currency: pricing.Currency, State: billing.Open, IssuedAt: p.To, DueAt: p.To.AddDate(0, 0, 14),
		Lines: []billing.Line{{Kind: billing.LinePlan, Plan: "Build", From: p.From, To: p.To, Net: 45_00}},
		Terms: billing.Terms{TaxRate: 2000, Zone: "Europe/Vienna", Buyer: billing.Party{Name: "Example Bakery", Country: "AT"}},
	}
}

// aPeriod keeps a month of a new customer that is closed.
func aPeriod(t *testing.T, s *db.Billing) billing.Period {
	t.Helper()
	n := placed(t, s.DB)
	p := billing.Period{
		ID: billing.PeriodID(id(t)), CustomerID: n.Order.CustomerID, Number: 1, Anchor: t0, From: t0, To: t0.AddDate(0, 1, 0),
		FullTo: t0.AddDate(0, 1, 0),
		State:  billing.Active, Multiplier: 1,
		Plans: []billing.Span{{Plan: pricing.Build, Name: "Build", Monthly: 45_00, Pool: 15_000_000, From: t0}},
	}
	ok, err := s.Begin(t.Context(), p)
	if err != nil || !ok {
		t.Fatalf("begin: %v, %v", ok, err)
	}
	p, err = s.ChangePeriod(t.Context(), p.ID, func(_ context.Context, p *billing.Period) (*billing.Period, error) {
		p.State, p.ClosedAt = billing.Closed, p.To
		return nil, nil
	})
	must(t, err)
	return p
}

// issue issues an invoice.
func issue(t *testing.T, s *db.Billing, i billing.Invoice) billing.Invoice {
	t.Helper()
	issued, err := s.Issue(t.Context(), []billing.Issue{{Invoice: i}})
	must(t, err)
	if len(issued) != 1 {
		t.Fatal("the invoice was not issued")
	}
	return issued[0]
}

// TestBilling_numbers: numbers have no gaps, also when many invoices are issued at once, one by one and several together, some of them
// twice, and some fail; each period has one invoice and one job.
func TestBilling_numbers(t *testing.T) {
	t.Parallel()
	d, q := fresh(t), &queue{}
	s := &db.Billing{DB: d, Jobs: q}
	broken := &db.Billing{DB: d, Jobs: &queue{err: errors.New("no queue")}}
	var due []billing.Period
	for range 8 {
		due = append(due, aPeriod(t, s))
	}
	var all sync.WaitGroup
	for _, part := range [][]int{{0, 1, 2, 3}, {3, 2, 1}, {4}, {4, 5}, {0}, {7, 6, 5, 4, 3}, {6}, {7}} {
		var some []billing.Issue
		for _, n := range part {
			i := anInvoice(t, due[n])
			some = append(some, billing.Issue{Invoice: i, Follow: []work.Item{work.CollectInvoice{InvoiceID: string(i.ID)}}})
		}
		all.Go(func() {
			// Whoever comes second finds the periods billed, which is no error.
			if issued, _ := broken.Issue(t.Context(), some); len(issued) > 0 {
				t.Error("issued without a queue")
			}
			if _, err := s.Issue(t.Context(), some); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for n := 1; n <= 8; n++ {
		var found int
		must(t, d.QueryRowContext(t.Context(), "SELECT count(*) FROM invoices WHERE number = ?", fmt.Sprintf("2026-%06d", n)).Scan(&found))
		if found != 1 {
			t.Errorf("%d invoices with number %d", found, n)
		}
	}
	if n := q.collects(); n != 8 {
		t.Errorf("%d jobs for 8 invoices", n)
	}
	for _, p := range due {
		if p, err := s.Period(t.Context(), p.ID); err != nil || p.State != billing.Billed {
			t.Errorf("a period is %s, %v", p.State, err)
		}
	}
	if issued, err := s.Issue(t.Context(), []billing.Issue{{Invoice: anInvoice(t, due[0])}}); err != nil || len(issued) != 0 {
		t.Errorf("issued again: %v, %v", issued, err)
	}
}

// TestBilling_paid: a payment counts once, a failure that is told late changes nothing, and what was issued stays as it is.
func TestBilling_paid(t *testing.T) {
	t.Parallel()
	d := fresh(t)
	store := &db.Billing{DB: d, Jobs: &queue{}}
	s := &billing.Service{Store: store, Now: func() time.Time { return t0 }}
	p := aPeriod(t, store)
	i := issue(t, store, anInvoice(t, p))
	must(t, s.PaymentFailed(t.Context(), i.ID, "The card was declined."))
	must(t, s.Paid(t.Context(), i.ID, "stripe", t0.Add(time.Hour)))
	must(t, s.Paid(t.Context(), i.ID, "test", t0.Add(2*time.Hour)))
	must(t, s.PaymentFailed(t.Context(), i.ID, "News from before."))
	got, err := s.InvoiceOf(t.Context(), p.CustomerID, i.ID)
	must(t, err)
	if got.State != billing.Paid || got.PaidBy != "stripe" || !got.PaidAt.Equal(t0.Add(time.Hour)) ||
		got.FailedWhy != "The card was declined." {
		t.Errorf("%+v", got)
	}
	wantErr(t, s.GiveUp(t.Context(), i.ID, audit.Itself), billing.ErrInvoiceOver)
	_, err = s.InvoiceOf(t.Context(), account.CustomerID(id(t)), i.ID)
	wantErr(t, err, db.ErrNotFound)
	for _, change := range []string{
		"UPDATE invoices SET net = 1, total = 901", "UPDATE invoices SET lines = '[]'", "DELETE FROM invoices",
		"UPDATE billing_periods SET plans = '[{}]'", "UPDATE billing_periods SET state = 'ACTIVE', closed_at = NULL, billed_at = NULL",
	} {
		if _, err := d.ExecContext(t.Context(), change); err == nil {
			t.Errorf("not refused: %s", change)
		}
	}
}

// collects counts the invoices that wait to be collected.
func (q *queue) collects() (n int) {
	for _, item := range q.items {
		if _, is := item.(work.CollectInvoice); is {
			n++
		}
	}
	return n
}

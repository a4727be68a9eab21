package billing

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
	"gatehouse/app/staff"
	"gatehouse/app/work"
)

// CreditID names a credit note.
type CreditID string

// CreditNote takes back some or all of an invoice. Its amounts are positive.
type CreditNote struct {
	ID         CreditID
	Number     string // for people: "C2026-000001", without gaps within a year
	InvoiceID  InvoiceID
	CustomerID account.CustomerID
	Net, Tax   pricing.Cents
	Total      pricing.Cents
	Reason     string
	IssuedAt   time.Time
	ByID       string
	ByName     string
	Refund     bool      // the invoice was paid: the money goes back
	RefundedAt time.Time // zero until it has
	RefundedBy string    // how: "test" is the built-in checkout
	FailedAt   time.Time // when the bank refused a refund that had seemed done: the money has not gone back; zero: it did not
}

// Credited is what comes of a credit note: its invoice as it is then, what is recorded, what follows.
type Credited struct {
	Note   CreditNote
	State  State
	Entry  audit.Entry
	Follow []work.Item
}

// ErrCredit says that more would be credited than was invoiced.
var ErrCredit = fault.Bad(map[string]string{"amount": "Write an amount above zero, and no more than is left of the invoice without tax."})

// Credit issues a credit note over an amount without tax, with the tax that falls on it. All of an invoice that is not paid makes it
// void; of one that is paid the money goes back.
func (s *Service) Credit(ctx context.Context, id InvoiceID, net pricing.Cents, reason string, by audit.Actor) (CreditNote, error) {
	if err := staff.Require(by, staff.BillingManage); err != nil {
		return CreditNote{}, err
	}
	reason = strings.TrimSpace(reason)
	if n := utf8.RuneCountInString(reason); n < 3 || n > 500 {
		return CreditNote{}, fault.Bad(map[string]string{"reason": "Write 3 to 500 characters: this stays on record."})
	}
	return s.Store.Credit(ctx, id, func(i Invoice, before []CreditNote) (Credited, error) {
		c := Credited{State: i.State}
		left, leftTax := i.Net, i.Tax
		for _, n := range before {
			left, leftTax = left-n.Net, leftTax-n.Tax
		}
		if net <= 0 || net > left {
			return c, ErrCredit
		}
		tax, err := pricing.Tax(net, i.Terms.TaxRate)
		if err != nil {
			return c, err
		}
		if net == left || tax > leftTax { // the last one takes what rounding has left
			tax = leftTax
		}
		c.Note = CreditNote{
			ID: CreditID(newID()), InvoiceID: id, CustomerID: i.CustomerID, Net: net, Tax: tax, Total: net + tax, Reason: reason,
			IssuedAt: s.now(), ByID: by.ID, ByName: by.Name, Refund: i.State == Paid && i.PaidBy != PaidByNothing,
		}
		switch {
		case c.Note.Refund:
			c.Follow = []work.Item{work.RefundCredit{CreditID: string(c.Note.ID)}}
		case net == left && i.State != Paid:
			c.State = Void
		}
		c.Entry = *s.entry(i.CustomerID, by, "invoice.credit", string(id),
			map[string]string{"invoice": i.Number, "credit": string(c.Note.ID)})
		return c, nil
	})
}

// CreditNotes lists the credit notes of an invoice, oldest first.
func (s *Service) CreditNotes(ctx context.Context, id InvoiceID) ([]CreditNote, error) {
	return s.Store.CreditNotes(ctx, id)
}

// CreditNote finds a credit note, whoever has it: jobs.
func (s *Service) CreditNote(ctx context.Context, id CreditID) (CreditNote, error) {
	return s.Store.CreditNote(ctx, id)
}

// Refunded records that the money of a credit note went back, and how. Said again it changes nothing.
func (s *Service) Refunded(ctx context.Context, id CreditID, by string, at time.Time) error {
	n, err := s.Store.CreditNote(ctx, id)
	if err != nil || !n.Refund || !n.RefundedAt.IsZero() {
		return err
	}
	n.RefundedAt, n.RefundedBy = at.UTC().Truncate(time.Microsecond), by
	return s.Store.Refunded(ctx, n, *s.entry(n.CustomerID, audit.Itself, "invoice.refunded", string(n.InvoiceID), map[string]string{
		"credit": n.Number, "by": by,
	}))
}

// RefundFailed records that the money of a credit note, which had seemed to go back, has not. Said again it changes nothing.
func (s *Service) RefundFailed(ctx context.Context, id CreditID, why string) error {
	n, err := s.Store.CreditNote(ctx, id)
	if err != nil || n.RefundedAt.IsZero() {
		return err
	}
	n.FailedAt = s.now()
	details := map[string]string{"credit": n.Number, "why": why}
	return s.Store.RefundFailed(ctx, n, *s.entry(n.CustomerID, audit.Itself, "invoice.refund_failed", string(n.InvoiceID), details))
}

// Refund gives the money of a credit note back where no payment provider is set up: there was none.
func (c TestCheckout) Refund(ctx context.Context, id CreditID) error {
	return c.Bills.Refunded(ctx, id, PaidByTest, c.Bills.now())
}

package payment

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"gatehouse/app/billing"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
)

// Refund gives the money of a credit note back: of the payments of its invoice, the newest first, what was paid in advance among them. It
// is asked for once, however often Refund is called.
func (s *Service) Refund(ctx context.Context, id billing.CreditID) error {
	n, err := s.Invoices.CreditNote(ctx, id)
	if err != nil || !n.Refund || !n.RefundedAt.IsZero() {
		return err
	}
	begun, err := s.Store.CreditRefunds(ctx, string(id))
	if err != nil {
		return fmt.Errorf("refund credit note: %w", err)
	}
	rest := n.Total
	for _, r := range begun {
		rest -= r.Amount
	}
	payments, err := s.Store.PaymentsOf(ctx, string(n.InvoiceID))
	if err != nil {
		return fmt.Errorf("refund credit note: %w", err)
	}
	for _, p := range payments {
		back, err := s.creditFrom(ctx, p, n, rest)
		if err != nil {
			return err
		}
		rest -= back
	}
	if rest > 0 && len(begun) == 0 { // it was paid in another way: people give it back
		if err := s.tellStaff(ctx, "refund", n.CustomerID); err != nil {
			return err
		}
	}
	return s.creditDone(ctx, string(id))
}

// creditFrom asks for what goes back of one payment, and says how much that is. Each payment has one refund for a credit note.
func (s *Service) creditFrom(ctx context.Context, p Payment, n billing.CreditNote, rest pricing.Cents) (pricing.Cents, error) {
	left, err := s.Store.Remaining(ctx, p.ID)
	if err != nil {
		return 0, fmt.Errorf("refund credit note: %w", err)
	}
	amount := min(left, rest)
	if amount <= 0 {
		return 0, nil
	}
	r, err := s.refund(p, amount, WhyStaff)
	if err != nil {
		return 0, err
	}
	r.ID = uuid.NewSHA1(uuid.NameSpaceOID, []byte(string(n.ID)+string(p.ID))).String()
	r.CreditID, r.Reason, r.By = string(n.ID), n.Reason, n.ByName
	err = s.Store.AddRefund(ctx, *r, nil)
	if err != nil && fault.Of(err).Kind == fault.Conflict && !errors.Is(err, ErrTooMuch) {
		return 0, nil // it was asked for already
	}
	return amount, err
}

// creditDone notes that all of a credit note went back, once it has.
func (s *Service) creditDone(ctx context.Context, id string) error {
	n, err := s.Invoices.CreditNote(ctx, billing.CreditID(id))
	if err != nil {
		return err
	}
	all, err := s.Store.CreditRefunds(ctx, id)
	if err != nil {
		return err
	}
	rest := n.Total
	for _, r := range all {
		if r.State == RefundDone {
			rest -= r.Amount
		}
	}
	if rest > 0 {
		return nil
	}
	return s.Invoices.Refunded(ctx, n.ID, PaidBy, s.Now())
}

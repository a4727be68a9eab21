package billing

import (
	"context"
	"strings"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/page"
)

// Invoice finds an invoice, whoever has it: jobs and staff.
func (s *Service) Invoice(ctx context.Context, id InvoiceID) (Invoice, error) {
	return s.Store.Invoice(ctx, id)
}

// InvoiceOf finds an invoice of that customer.
func (s *Service) InvoiceOf(ctx context.Context, of account.CustomerID, id InvoiceID) (Invoice, error) {
	return s.Store.InvoiceOf(ctx, of, id)
}

// InvoicesOf lists the invoices of a customer, newest first.
func (s *Service) InvoicesOf(ctx context.Context, of account.CustomerID, ask page.Ask) (page.Of[Invoice], error) {
	ask, err := ask.Clean()
	if err != nil {
		return page.Of[Invoice]{}, err
	}
	return s.Store.InvoicesOf(ctx, of, ask)
}

// Month is the period of an invoice, whoever has it: jobs.
func (s *Service) Month(ctx context.Context, id PeriodID) (Period, error) {
	return s.Store.Period(ctx, id)
}

// Paid records that an invoice was paid, and how. Said again it changes nothing; the first time counts. One that is void is
// ErrInvoiceOver.
func (s *Service) Paid(ctx context.Context, id InvoiceID, by string, at time.Time) error {
	_, err := s.Store.ChangeInvoice(ctx, id, func(i *Invoice) (*audit.Entry, error) {
		switch i.State {
		case Paid:
			return nil, nil
		case Void:
			return nil, ErrInvoiceOver
		}
		i.State, i.PaidBy, i.PaidAt = Paid, by, at.UTC().Truncate(time.Microsecond)
		return s.entry(i.CustomerID, audit.Itself, "invoice.paid", string(id), map[string]string{"invoice": i.Number, "by": by}), nil
	})
	return err
}

// maxWhy is how many bytes of the reason of a failed payment are kept.
const maxWhy = 300

// PaymentFailed records that a payment of an open invoice failed, and why, in words for the customer. The invoice stays open. What
// is paid or void already is left as it is: news of a failure may come late.
func (s *Service) PaymentFailed(ctx context.Context, id InvoiceID, why string) error {
	_, err := s.Store.ChangeInvoice(ctx, id, func(i *Invoice) (*audit.Entry, error) {
		if i.State != Open {
			return nil, nil
		}
		i.FailedAt, i.FailedWhy = s.now(), strings.ToValidUTF8(why[:min(len(why), maxWhy)], "")
		return s.entry(i.CustomerID, audit.Itself, "invoice.payment_failed", string(id), map[string]string{"invoice": i.Number}), nil
	})
	return err
}

// GiveUp records that nobody expects an open invoice to be paid any more. It can still be paid. Said again it changes nothing.
func (s *Service) GiveUp(ctx context.Context, id InvoiceID, by audit.Actor) error {
	_, err := s.Store.ChangeInvoice(ctx, id, func(i *Invoice) (*audit.Entry, error) {
		switch i.State {
		case Uncollectible:
			return nil, nil
		case Paid, Void:
			return nil, ErrInvoiceOver
		}
		i.State = Uncollectible
		return s.entry(i.CustomerID, by, "invoice.given_up", string(id), map[string]string{"invoice": i.Number}), nil
	})
	return err
}

// TestCheckout pays invoices where no payment provider is set up: it takes no money, and the invoices say so.
type TestCheckout struct{ Bills *Service }

// Collect pays an invoice.
func (c TestCheckout) Collect(ctx context.Context, id InvoiceID) error {
	i, err := c.Bills.Invoice(ctx, id)
	if err != nil || i.State != Open {
		return err
	}
	return c.Bills.Paid(ctx, id, PaidByTest, c.Bills.now())
}

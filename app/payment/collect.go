package payment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
)

// Invoices are what is to be collected; billing.Service has them. Calls belong to the transaction of ctx.
type Invoices interface {
	Invoice(ctx context.Context, id billing.InvoiceID) (billing.Invoice, error)
	Month(ctx context.Context, id billing.PeriodID) (billing.Period, error)
	RefundFailed(ctx context.Context, id billing.CreditID, why string) error
	InvoiceOf(ctx context.Context, of account.CustomerID, id billing.InvoiceID) (billing.Invoice, error)
	Paid(ctx context.Context, id billing.InvoiceID, by string, at time.Time) error
	PaymentFailed(ctx context.Context, id billing.InvoiceID, why string) error
	GiveUp(ctx context.Context, id billing.InvoiceID, by audit.Actor) error
	CreditNote(ctx context.Context, id billing.CreditID) (billing.CreditNote, error)
	Refunded(ctx context.Context, id billing.CreditID, by string, at time.Time) error
}

// Why a payment was not even tried.
const codeNoMethod = "no_payment_method"

// Collect has an invoice paid with the means of payment on file. What the customer paid in advance is set against it first. It is
// asked for once, however often Collect is called; what the bank refuses is tried again by Dun.
func (s *Service) Collect(ctx context.Context, id billing.InvoiceID) error {
	i, err := s.Invoices.Invoice(ctx, id)
	if err != nil {
		return fmt.Errorf("collect invoice: %w", err)
	}
	if !unpaid(i) {
		return nil
	}
	if back, err := s.gaveBack(ctx, i); err != nil || back {
		return err
	}
	p, err := s.Store.OfInvoice(ctx, string(id))
	switch {
	case err == nil && !p.State.Over():
		return s.resume(ctx, p)
	case err == nil && p.State == Paid:
		return s.Invoices.Paid(ctx, id, PaidBy, p.PaidAt)
	case err == nil && (!s.due(ctx, id) || p.Code == codeOurs && s.Now().Sub(p.TriedAt) < oursAgain):
		return nil // it failed before, and its next try is not due yet
	case err != nil && fault.Of(err).Kind != fault.NotFound:
		return fmt.Errorf("collect invoice: %w", err)
	}
	return s.try(ctx, i)
}

// gaveBack gives an invoice up whose order was refunded whole: nothing of it is charged any more.
func (s *Service) gaveBack(ctx context.Context, i billing.Invoice) (bool, error) {
	o, err := s.Orders.Of(ctx, i.CustomerID)
	if err != nil || o.EndReason != order.Refunded {
		return false, notFoundIs(err, nil)
	}
	if err := s.Store.CloseDunning(ctx, string(i.ID), s.Now().UTC()); err != nil {
		return true, err
	}
	return true, s.Invoices.GiveUp(ctx, i.ID, audit.Itself)
}

// unpaid says whether money is still wanted for an invoice.
func unpaid(i billing.Invoice) bool {
	return i.State == billing.Open || i.State == billing.Uncollectible
}

// due says whether the next try of an invoice is due. One that failed without our knowing is tried.
func (s *Service) due(ctx context.Context, id billing.InvoiceID) bool {
	d, err := s.Store.DunningOf(ctx, string(id))
	return err != nil || !d.NextAt.IsZero() && !d.NextAt.After(s.Now())
}

// try asks for what is left of an invoice.
func (s *Service) try(ctx context.Context, i billing.Invoice) error {
	left, err := s.left(ctx, i)
	if err != nil || left <= 0 {
		return err
	}
	if left < smallest {
		return s.Invoices.Paid(ctx, i.ID, billing.PaidBySmall, s.Now())
	}
	payer, err := s.withMethod(ctx, i.CustomerID)
	if err != nil {
		return err
	}
	if payer.Method.ID == "" {
		return s.failed(ctx, i, codeNoMethod)
	}
	next := Payment{CustomerID: i.CustomerID, InvoiceID: string(i.ID), Amount: left, Currency: i.Currency}
	next, err = s.nextTry(ctx, i, payer, next)
	if errors.Is(err, ErrUnderWay) {
		return nil // somebody else asks for it at this moment
	}
	if err != nil || next.ID == "" {
		return err
	}
	return s.charge(ctx, next, payer)
}

// nextTry stores the next try to have an invoice paid; one without an id where the provider has what it needs already.
func (s *Service) nextTry(ctx context.Context, i billing.Invoice, payer Payer, next Payment) (Payment, error) {
	month, err := s.Invoices.Month(ctx, i.PeriodID)
	if err != nil {
		return next, fmt.Errorf("month of an invoice: %w", err)
	}
	tries, err := s.Store.Tries(ctx, string(i.ID))
	if err != nil {
		return next, err
	}
	if payer.Provider != "" {
		if found, err := s.known(ctx, i, payer, next, month.Number, tries+1); err != nil || found {
			return Payment{}, err
		}
		if tries, err = s.Store.Tries(ctx, string(i.ID)); err != nil {
			return next, err
		}
	}
	next.ID = tryID(i, month.Number, tries+1)
	return s.ask(ctx, next)
}

// left is what is still to be paid of an invoice: all but what was paid in advance. When that was enough, the invoice is paid, and what
// was too much goes back.
func (s *Service) left(ctx context.Context, i billing.Invoice) (pricing.Cents, error) {
	advance, over, err := s.Store.Apply(ctx, i.CustomerID, string(i.ID), i.Owed())
	if err != nil {
		return 0, fmt.Errorf("advance payment: %w", err)
	}
	if over > 0 {
		p, err := s.Store.Applied(ctx, string(i.ID))
		if err != nil {
			return 0, fmt.Errorf("advance payment: %w", err)
		}
		r, err := s.refund(p, over, WhyWrong)
		if err != nil {
			return 0, err
		}
		if err := s.Store.AddRefund(ctx, *r, nil); err != nil && !errors.Is(err, ErrTooMuch) {
			return 0, err
		}
	}
	if left := i.Owed() - advance; left > 0 {
		return left, nil
	}
	return 0, s.Invoices.Paid(ctx, i.ID, PaidBy, s.Now())
}

// withMethod is the customer at the provider with the means of payment to be used.
func (s *Service) withMethod(ctx context.Context, of account.CustomerID) (Payer, error) {
	payer, err := s.Store.Payer(ctx, of)
	if err != nil || payer.Provider == "" {
		return payer, err
	}
	m, err := s.Provider.Method(ctx, payer.Provider)
	if err != nil {
		return payer, fmt.Errorf("means of payment: %w", err)
	}
	payer.Method = m
	return payer, s.Store.SetMethod(ctx, payer.Provider, m, s.Now().UTC())
}

// charge takes the money of a payment, and does what follows.
func (s *Service) charge(ctx context.Context, p Payment, payer Payer) error {
	title := "Gatehouse"
	if i, err := s.Invoices.Invoice(ctx, billing.InvoiceID(p.InvoiceID)); err == nil {
		title += " " + i.Number
	}
	seen, err := s.Provider.Charge(ctx, "charge-"+string(p.ID), ChargeAsk{
		Payment: p.ID, Payer: payer.Provider, Method: payer.Method.ID, Amount: p.Amount, Currency: p.Currency, Title: title,
	})
	if d, refused := AsDeclined(err); refused {
		seen, err = d.Seen, nil
		seen.State, seen.Code = Failed, d.Code
	}
	if errors.Is(err, ErrOurs) {
		return s.ours(ctx, p, err)
	}
	if err != nil {
		return fmt.Errorf("collect invoice: %w", err)
	}
	return s.answered(ctx, p, seen)
}

// codeOurs marks a try that the provider would not take as it stands: the bank was never asked.
const codeOurs = "not_taken"

// ours notes that a try failed through a fault of ours. The customer is not told of it and loses nothing: our staff are told, and it is
// tried again a day later.
func (s *Service) ours(ctx context.Context, p Payment, why error) error {
	if err := s.answered(ctx, p, Seen{State: Failed, Code: codeOurs}); err != nil {
		return err
	}
	if err := s.tellStaff(ctx, "ours", p.CustomerID); err != nil {
		return err
	}
	return &LaterError{After: day, Err: fmt.Errorf("collect invoice %s: %w", p.InvoiceID, why)}
}

// oursAgain is how long after a fault of ours nothing is tried: a little less than the day after which it is.
const oursAgain = day - time.Hour

// LaterError says that something failed that is to be done again after a while, and not before.
type LaterError struct {
	After time.Duration
	Err   error
}

// Error says what failed.
func (e *LaterError) Error() string { return e.Err.Error() }

// Unwrap gives what failed.
func (e *LaterError) Unwrap() error { return e.Err }

// smallest is the least that the provider takes. What is less is not charged: the invoice is settled and says so.
const smallest pricing.Cents = 50

// answered stores what the provider said of a payment. Where somebody else has stored a look meanwhile, that may be the newer one.
func (s *Service) answered(ctx context.Context, p Payment, seen Seen) error {
	_, err := s.settle(ctx, p, seen)
	if errors.Is(err, errOvertaken) {
		_, err = s.LookAt(ctx, p.ID)
	}
	return err
}

// resume goes on with a payment that was begun: somebody was killed, the bank is at it, or the customer is on its page. The provider may
// have forgotten its key, so what it has made is looked for first.
func (s *Service) resume(ctx context.Context, p Payment) error {
	if p.State != Asked || p.Intent != "" || p.Hosted {
		_, err := s.LookAt(ctx, p.ID)
		return err
	}
	payer, err := s.withMethod(ctx, p.CustomerID)
	if err != nil {
		return err
	}
	all, err := s.Provider.Charges(ctx, payer.Provider, p.TriedAt)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(one Seen) bool { return one.Ours == p.ID })
	switch {
	case at >= 0:
		return s.answered(ctx, p, all[at])
	case payer.Method.ID == "":
		return s.answered(ctx, p, Seen{State: Failed, Code: codeNoMethod})
	}
	return s.charge(ctx, p, payer)
}

// ErrUnderWay says that an invoice is being paid already.
var ErrUnderWay = fault.New(fault.Conflict, "payment-under-way", "a payment of the invoice is under way",
	"This invoice is being paid right now. Nothing more was charged. Reload the page in a moment.")

// PayInvoice gives the address of the provider's page on which a customer pays an invoice; empty when it is paid, or the bank is at it.
func (s *Service) PayInvoice(ctx context.Context, by account.User, id billing.InvoiceID) (string, error) {
	i, err := s.Invoices.InvoiceOf(ctx, by.CustomerID, id)
	if err != nil || !unpaid(i) {
		return "", err
	}
	p, err := s.Store.OfInvoice(ctx, string(id))
	switch {
	case err == nil && p.Page != "" && !p.State.Over():
		url, state, err := s.opened(ctx, p)
		if err != nil || url != "" || state == Paid || state == Processing {
			return url, err
		}
	case err == nil && p.State == Asked && p.Hosted && s.Now().Sub(p.CreatedAt) < keyLife:
		return s.invoicePage(ctx, by, i, p)
	case err == nil && !p.State.Over():
		return "", s.resume(ctx, p)
	case err != nil && fault.Of(err).Kind != fault.NotFound:
		return "", err
	}
	left, err := s.left(ctx, i)
	if err != nil || left <= 0 {
		return "", err
	}
	if left < smallest {
		return "", s.Invoices.Paid(ctx, i.ID, billing.PaidBySmall, s.Now())
	}
	payer, err := s.payer(ctx, by)
	if err != nil {
		return "", err
	}
	p, err = s.nextTry(ctx, i, payer, Payment{
		CustomerID: i.CustomerID, InvoiceID: string(i.ID), Hosted: true, Amount: left, Currency: i.Currency,
	})
	if err != nil || p.ID == "" {
		return "", err
	}
	return s.invoicePage(ctx, by, i, p)
}

func (s *Service) invoicePage(ctx context.Context, by account.User, i billing.Invoice, p Payment) (string, error) {
	return s.openPage(ctx, by, p, "Gatehouse "+i.Number, InvoicePaidPath(p.ID), InvoicesPath)
}

// InvoicesPath is the hub's page of invoices.
const InvoicesPath = "/app/billing"

// InvoicePaidPath is where the provider's page sends a browser that has paid an invoice.
func InvoicePaidPath(id ID) string { return "/app/billing/paid/" + string(id) }

// Card is the means of payment on file, as it was seen last; empty when there is none.
func (s *Service) Card(ctx context.Context, of account.CustomerID) (Method, error) {
	p, err := s.Store.Payer(ctx, of)
	return p.Method, err
}

// CardPage gives the address of the provider's page on which a customer changes the means of payment.
func (s *Service) CardPage(ctx context.Context, by account.User) (string, error) {
	payer, err := s.payer(ctx, by)
	if err != nil {
		return "", err
	}
	return s.Provider.Portal(ctx, payer.Provider, s.Public+InvoicesPath)
}

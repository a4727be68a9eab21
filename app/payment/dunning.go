package payment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/staff"
)

// DunningState is how far the hub has gone with what was not paid.
type DunningState string

// The states, in the order in which they follow. Paying ends each of them.
const (
	PastDue DunningState = "past_due" // tried again; everything works
	Paused  DunningState = "paused"   // the team takes no new messages; the server is kept
	Last    DunningState = "last"     // the customer was told that the order ends
	Over    DunningState = "ended"    // the order has ended
)

// Dunning is an invoice that was not paid, or a payment that a bank took back.
type Dunning struct {
	ID         string
	CustomerID account.CustomerID
	InvoiceID  string // empty: about PaymentID
	PaymentID  ID     // empty: about InvoiceID
	State      DunningState
	Tries      int
	Since      time.Time
	NextAt     time.Time // when the next try is due; zero: none
	PausedAt   time.Time // zero until then
	ClosedAt   time.Time // zero while it is open
}

// What is unpaid is tried again after these times since the first try. When they are over, the team is paused; after pauseFor more the
// order ends, which the customer is told lastWord before.
const (
	graceFor = 7 * 24 * time.Hour
	pauseFor = 30 * 24 * time.Hour
	lastWord = 7 * 24 * time.Hour
)

var retries = []time.Duration{1 * day, 3 * day, 5 * day, 7 * day}

const day = 24 * time.Hour

// Letters about what was not paid, to the owners of a customer, and those to our staff.
const (
	LetterFailed  = "payment_failed"  // it failed, and is tried again
	LetterPaused  = "payment_paused"  // the team is paused
	LetterLast    = "payment_last"    // the order ends soon
	LetterExpires = "payment_expires" // the card on file expires
	LetterHelp    = "payment_help"    // to our staff
)

// failed notes that an invoice could not be collected, and when it is tried again.
func (s *Service) failed(ctx context.Context, i billing.Invoice, code string) error {
	if err := s.Invoices.PaymentFailed(ctx, i.ID, reason(code)); err != nil {
		return fmt.Errorf("payment failed: %w", err)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("payment failed: %w", err)
	}
	now := s.Now().UTC()
	fresh := Dunning{ID: id.String(), CustomerID: i.CustomerID, InvoiceID: string(i.ID), State: PastDue, Since: now}
	return s.Store.ChangeDunning(ctx, fresh, func(d *Dunning) (letter string, err error) {
		d.Tries++
		d.NextAt = time.Time{}
		for _, after := range retries {
			if at := d.Since.Add(after); d.State == PastDue && at.After(now) {
				d.NextAt = at
				break
			}
		}
		if d.Tries == 1 {
			letter = LetterFailed
		}
		return letter, nil
	})
}

// reasons are why a payment failed, for the customer, by what the provider calls it.
var codeWords = map[string]string{
	"insufficient_funds":      "There was not enough money on the account.",
	"expired_card":            "The card has expired.",
	"authentication_required": "Your bank wants you to confirm the payment.",
	codeNoMethod:              "There is no card on file.",
	"debit_not_authorized":    "The bank did not carry out the direct debit.",
}

// reason says why a payment failed.
func reason(code string) string {
	if text, known := codeWords[code]; known {
		return text
	}
	return "Your bank declined the payment."
}

// invoicePaid notes in the transaction of a payment that its invoice is paid: what was not paid is settled with that. An invoice that is
// void by now is not: the money goes back.
func (s *Service) invoicePaid(ctx context.Context, p Payment) (*Refund, error) {
	err := s.Invoices.Paid(ctx, billing.InvoiceID(p.InvoiceID), PaidBy, p.PaidAt)
	if errors.Is(err, billing.ErrInvoiceOver) {
		return s.refund(p, p.Amount, WhyTwice)
	}
	if err != nil {
		return nil, err
	}
	return nil, s.Store.CloseDunning(ctx, p.InvoiceID, p.PaidAt)
}

// invoiceFailed likewise notes that it is not paid.
func (s *Service) invoiceFailed(ctx context.Context, p Payment) error {
	i, err := s.Invoices.Invoice(ctx, billing.InvoiceID(p.InvoiceID))
	if err != nil || !unpaid(i) {
		return err
	}
	if p.Code == codeOurs {
		return s.Store.Postpone(ctx, p.InvoiceID, s.Now().UTC().Add(day))
	}
	return s.failed(ctx, i, p.Code)
}

// Dun goes on with all that was not paid: the next try, the pause, the last word, the end. It says how many it was about.
func (s *Service) Dun(ctx context.Context) (int, error) {
	if !s.On() {
		return 0, nil
	}
	now := s.Now().UTC()
	open, err := s.Store.Dunnings(ctx, now, now.Add(-graceFor), now.Add(-pauseFor+lastWord), now.Add(-pauseFor))
	if err != nil {
		return 0, fmt.Errorf("what was not paid: %w", err)
	}
	var errs []error
	for _, d := range open {
		if err := s.goOn(ctx, d, now); err != nil {
			errs = append(errs, fmt.Errorf("dunning %s: %w", d.ID, err))
		}
	}
	return len(open) - len(errs), errors.Join(errs...)
}

// goOn does what is due. A try comes before the pause, which follows when it fails.
func (s *Service) goOn(ctx context.Context, d Dunning, now time.Time) error {
	if d.InvoiceID != "" {
		if done, err := s.tried(ctx, d, now); err != nil || done {
			return err
		}
	}
	next := d
	letter := ""
	switch {
	case d.State == PastDue && !d.Since.Add(graceFor).After(now):
		next.State, next.PausedAt, letter = Paused, now, LetterPaused
	case d.State == Paused && !d.PausedAt.Add(pauseFor-lastWord).After(now):
		ended, err := s.ended(ctx, d.CustomerID)
		if err != nil {
			return err
		}
		if next.State = Last; !ended {
			letter = LetterLast
		}
	case d.State == Last && !d.PausedAt.Add(pauseFor).After(now):
		if err := s.end(ctx, d); err != nil {
			return err
		}
		next.State = Over
	default:
		return nil
	}
	return s.Store.ChangeDunning(ctx, d, func(now *Dunning) (string, error) {
		if now.State != d.State || !now.ClosedAt.IsZero() {
			return "", nil // it was paid meanwhile
		}
		now.State, now.PausedAt = next.State, next.PausedAt
		return letter, nil
	})
}

// tried closes the dunning of an invoice that nobody has to pay any more, and does a try that is due. True: nothing follows now.
func (s *Service) tried(ctx context.Context, d Dunning, now time.Time) (bool, error) {
	i, err := s.Invoices.Invoice(ctx, billing.InvoiceID(d.InvoiceID))
	if err != nil {
		return false, err
	}
	if !unpaid(i) { // it was credited, or paid in another way
		return true, s.Store.CloseDunning(ctx, d.InvoiceID, now)
	}
	if back, err := s.gaveBack(ctx, i); err != nil || back {
		return back, err
	}
	p, err := s.Store.OfInvoice(ctx, d.InvoiceID)
	if err == nil && p.State == Processing {
		return true, nil // the bank is at it: nobody is paused for what may be paid
	}
	if !d.NextAt.IsZero() && !d.NextAt.After(now) {
		return true, s.Collect(ctx, billing.InvoiceID(d.InvoiceID))
	}
	return err == nil && p.Code == codeOurs && d.State == PastDue, nil // nobody is paused for a fault of ours
}

// ended says whether the order of a customer has ended, so that nobody is told that it will.
func (s *Service) ended(ctx context.Context, of account.CustomerID) (bool, error) {
	o, err := s.Orders.Of(ctx, of)
	return err == nil && o.Rests(), notFoundIs(err, nil)
}

// end ends the order of a customer who did not pay for long, unless it has ended before, and gives the invoice up. The server is kept
// for the grace of such orders.
func (s *Service) end(ctx context.Context, d Dunning) error {
	o, err := s.Orders.Of(ctx, d.CustomerID)
	if err == nil && o.Can("end") {
		_, err = s.Orders.End(ctx, d.CustomerID, o.ID, order.Unpaid, audit.Itself)
	}
	if err = notFoundIs(err, nil); err != nil || d.InvoiceID == "" {
		return err
	}
	return s.Invoices.GiveUp(ctx, billing.InvoiceID(d.InvoiceID), audit.Itself)
}

// Recover takes the end of an order back whose customer has paid after all. It says how many.
func (s *Service) Recover(ctx context.Context) (int, error) {
	all, err := s.Store.Recovered(ctx)
	if err != nil {
		return 0, fmt.Errorf("customers who paid after all: %w", err)
	}
	var errs []error
	for _, of := range all {
		o, err := s.Orders.Of(ctx, of)
		if err == nil && o.EndReason == order.Unpaid && o.Can("keep") {
			_, err = s.Orders.Keep(ctx, of, o.ID, audit.Itself)
		}
		errs = append(errs, err)
	}
	return len(all), errors.Join(errs...)
}

// Expiring mails owners whose card expires within two weeks. It says how many customers it was about.
func (s *Service) Expiring(ctx context.Context) (int, error) {
	n, err := s.Store.TellExpiring(ctx, s.Now().UTC().Add(2*7*day), LetterExpires)
	if err != nil {
		return 0, fmt.Errorf("cards that expire: %w", err)
	}
	return n, nil
}

// Forgive ends what was not paid without its payment, because one of our staff says so: the team goes on.
func (s *Service) Forgive(ctx context.Context, of account.CustomerID, id, why string, by audit.Actor) error {
	if err := staff.Require(by, staff.BillingManage); err != nil {
		return err
	}
	if why = strings.Join(strings.Fields(why), " "); why == "" || utf8.RuneCountInString(why) > 300 {
		return fault.Bad(map[string]string{"why": "Type the reason, in 300 characters or less."})
	}
	entry, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("forgive: %w", err)
	}
	now := s.Now().UTC()
	return s.Store.Forgive(ctx, of, id, now, audit.Entry{
		ID: entry.String(), At: now, By: by, CustomerID: string(of), Action: "payment.forgive", Target: id,
		Details: map[string]string{"reason": why},
	})
}

package closing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/tune"
)

// Erasure says that a customer was erased.
type Erasure struct {
	At        time.Time
	KeptUntil time.Time // when invoices and what belongs to them are deleted too
	Purged    time.Time // when that was done; zero: not yet
}

// Wait is why an account is not closed yet.
type Wait string

// The waits.
const (
	NoWait      Wait = ""
	WaitMonth   Wait = "month"   // a month has no invoice yet
	WaitInvoice Wait = "invoice" // an invoice is neither paid nor given up
	WaitPayment Wait = "payment" // a payment is on its way
	WaitRefund  Wait = "refund"  // money that goes back has not arrived
	WaitDispute Wait = "dispute" // a payment is disputed at a bank
)

// Standing is how far it is with the account of a customer who left.
type Standing struct {
	Erasure *Erasure  // nil: not erased
	Due     time.Time // when it is to be closed; zero: the customer has not left
	Waits   Wait      // for what it waits then
}

// Store erases; db.Closing does.
type Store interface {
	// Queue queues the work of closing each account that is to be closed: its last order ended for good before then, and nothing
	// is open. It says how many.
	Queue(ctx context.Context, left time.Time) (int, error)
	// Erase erases a customer as Queue finds them, or none: then it says false. What was erased before stays so.
	Erase(ctx context.Context, of account.CustomerID, left time.Time, how Erasure, record audit.Entry) (bool, error)
	// Long lists customers of whom what was kept is to be deleted now.
	Long(ctx context.Context, now time.Time) ([]account.CustomerID, error)
	// Prolong has what was kept of a customer stay until then.
	Prolong(ctx context.Context, of account.CustomerID, until time.Time) error
	// Purge deletes what was kept of a customer.
	Purge(ctx context.Context, of account.CustomerID, now time.Time) error
	// Of says whether a customer was erased; else when the last order ended for good, zero: it has not, and what is open.
	Of(ctx context.Context, of account.CustomerID) (e *Erasure, left time.Time, open Wait, err error)
	// LastMoney is when money was last owed, paid or given back.
	LastMoney(ctx context.Context, of account.CustomerID) (time.Time, error)
}

// Service closes accounts.
type Service struct {
	Store Store
	Now   func() time.Time
	After tune.Value[time.Duration] // from the day on which the server was given back
	Years tune.Value[int]           // that invoices are kept, after the year of the last one
}

// The rules, as they are without settings.
const (
	usualAfter = 7 * 24 * time.Hour
	usualYears = 10
)

// Due is when a customer's account is closed who left, as Of says it; zero: the customer has not left, or is erased.
func (s *Service) Due(ctx context.Context, of account.CustomerID) (time.Time, error) {
	st, err := s.Of(ctx, of)
	return st.Due, err
}

// On is when the account is closed of a customer whose server is given back then.
func (s *Service) On(released time.Time) time.Time { return released.Add(s.After.Or(usualAfter)) }

// KeptYears is how many whole years invoices are kept.
func (s *Service) KeptYears() int { return s.Years.Or(usualYears) }

// keptUntil is when what belongs to money of that moment may be deleted: the years count from the end of its year.
func (s *Service) keptUntil(last time.Time) time.Time {
	return time.Date(last.UTC().Year()+1+s.KeptYears(), 1, 1, 0, 0, 0, 0, time.UTC)
}

// QueueDue queues the work of closing each account that is to be closed now.
func (s *Service) QueueDue(ctx context.Context) (int, error) {
	n, err := s.Store.Queue(ctx, s.left(s.Now().UTC()))
	if err != nil {
		return n, fmt.Errorf("accounts to close: %w", err)
	}
	return n, nil
}

// left is when a customer must have left to be erased now.
func (s *Service) left(now time.Time) time.Time { return now.Add(-s.After.Or(usualAfter)) }

// Close erases a customer who is to be erased, and nobody else. A second time it changes nothing.
func (s *Service) Close(ctx context.Context, of account.CustomerID) error {
	now := s.Now().UTC().Truncate(time.Microsecond)
	last, err := s.Store.LastMoney(ctx, of)
	if err != nil {
		return fmt.Errorf("close account: %w", err)
	}
	if last.IsZero() || last.After(now) {
		last = now
	}
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("close account: %w", err)
	}
	how := Erasure{At: now, KeptUntil: s.keptUntil(last)}
	if !how.KeptUntil.After(now) { // what was kept is old already
		how.KeptUntil = now.Add(time.Hour)
	}
	record := audit.Entry{ID: id.String(), At: now, By: audit.Itself, CustomerID: string(of), Action: "customer.erase", Target: string(of)}
	if _, err := s.Store.Erase(ctx, of, s.left(now), how, record); err != nil {
		return fmt.Errorf("close account: %w", err)
	}
	return nil
}

// PurgeDue deletes what was kept of erased customers for as long as the law asks. A credit note that came after the erasure is kept as
// long as any other.
func (s *Service) PurgeDue(ctx context.Context) (n int, err error) {
	now := s.Now().UTC()
	due, err := s.Store.Long(ctx, now)
	if err != nil {
		return 0, fmt.Errorf("what was kept long enough: %w", err)
	}
	var errs []error
	for _, of := range due {
		until, err := s.stays(ctx, of, time.Time{})
		switch {
		case err != nil:
		case until.After(now):
			err = s.Store.Prolong(ctx, of, until)
		default:
			err = s.Store.Purge(ctx, of, now)
			if err == nil {
				n++
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("what was kept of customer %s: %w", of, err))
		}
	}
	return n, errors.Join(errs...)
}

// stays is until when something of a customer is kept: until then at least, and longer when money moved later.
func (s *Service) stays(ctx context.Context, of account.CustomerID, until time.Time) (time.Time, error) {
	last, err := s.Store.LastMoney(ctx, of)
	if err != nil || last.IsZero() {
		return until, err
	}
	if moved := s.keptUntil(last); moved.After(until) {
		until = moved
	}
	return until, nil
}

// Of says how far it is with a customer's account.
func (s *Service) Of(ctx context.Context, of account.CustomerID) (Standing, error) {
	e, left, open, err := s.Store.Of(ctx, of)
	if err != nil {
		return Standing{}, fmt.Errorf("how far an account is closed: %w", err)
	}
	if e != nil && e.Purged.IsZero() {
		if e.KeptUntil, err = s.stays(ctx, of, e.KeptUntil); err != nil {
			return Standing{}, fmt.Errorf("how long is kept what is left of an account: %w", err)
		}
	}
	st := Standing{Erasure: e}
	if e == nil && !left.IsZero() {
		st.Due, st.Waits = s.On(left), open
	}
	return st, nil
}

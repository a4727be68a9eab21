package billing

import (
	"context"
	"time"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/work"
)

// Store keeps periods and invoices; db.Billing has it.
type Store interface {
	// Begin keeps a period. A customer who has one that runs, or one of that number, gets none: false.
	Begin(ctx context.Context, p Period) (bool, error)
	// Period finds a period, whoever has it: jobs and staff.
	Period(ctx context.Context, id PeriodID) (Period, error)
	// ActiveOf finds the period of a customer that runs.
	ActiveOf(ctx context.Context, of account.CustomerID) (Period, error)
	// ChangePeriod locks a period, runs fn on it and keeps what fn made of it, with the period that follows when fn gives one.
	ChangePeriod(ctx context.Context, id PeriodID, fn func(*Period) (next *Period, err error)) (Period, error)
	// Issue gives the invoice its number, keeps it and queues follow, while its period is CLOSED, and makes that BILLED: all or
	// nothing. False when the period is not CLOSED any more.
	Issue(ctx context.Context, i Invoice, follow []work.Item) (Invoice, bool, error)
	// Invoice finds an invoice, whoever has it: jobs and staff.
	Invoice(ctx context.Context, id InvoiceID) (Invoice, error)
	// InvoiceOf finds an invoice of that customer.
	InvoiceOf(ctx context.Context, of account.CustomerID, id InvoiceID) (Invoice, error)
	// InvoicesOf lists the invoices of a customer, newest first.
	InvoicesOf(ctx context.Context, of account.CustomerID, ask page.Ask) (page.Of[Invoice], error)
	// ChangeInvoice locks an invoice, runs fn on it, keeps its state and payment, and records what fn says; a nil entry means that
	// nothing changed.
	ChangeInvoice(ctx context.Context, id InvoiceID, fn func(*Invoice) (*audit.Entry, error)) (Invoice, error)
}

// Service is what pages, the API and jobs do about periods and invoices.
type Service struct {
	Store Store
	Now   func() time.Time
}

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func (s *Service) entry(of account.CustomerID, by audit.Actor, action, target string, details map[string]string) *audit.Entry {
	return &audit.Entry{
		ID: newID(), At: s.now(), By: by, CustomerID: string(of), Action: action, Target: target, Details: details,
	}
}

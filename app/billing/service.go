package billing

import (
	"context"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/pricing"
)

// Store keeps periods and invoices; db.Billing has it.
type Store interface {
	// Begin keeps a period. A customer who has one that runs, or one of that number, or who has cancelled for its beginning or before,
	// gets none: false.
	Begin(ctx context.Context, p Period) (bool, error)
	// Period finds a period, whoever has it: jobs and staff.
	Period(ctx context.Context, id PeriodID) (Period, error)
	// ActiveOf finds the period of a customer that runs.
	ActiveOf(ctx context.Context, of account.CustomerID) (Period, error)
	// PeriodAt finds the period of a customer that a moment belongs to.
	PeriodAt(ctx context.Context, of account.CustomerID, at time.Time) (Period, error)
	// ChangePeriod locks a period, runs fn on it and keeps what fn made of it, with the period that follows when fn gives one.
	ChangePeriod(ctx context.Context, id PeriodID, fn func(ctx context.Context, p *Period) (next *Period, err error)) (Period, error)
	// ChangePeriods is ChangePeriod for several at once: fn has all of them, and gives those that follow.
	ChangePeriods(ctx context.Context, ids []PeriodID, fn func(ctx context.Context, all []*Period) (next []Period, err error)) error
	// ChangePlan locks a period, runs fn on it, keeps its plans and the plan of the customer's order, records e, and queues letters
	// about it to the owners.
	ChangePlan(
		ctx context.Context, id PeriodID, plan pricing.PlanID, e audit.Entry, fn func(ctx context.Context, p *Period) error,
	) (Period, error)
	// Cancel locks a period, runs fn on it, keeps the cancellation, records the entry, and queues a letter to the owners: all or
	// nothing. A second one that is open is ErrCancelled.
	Cancel(
		ctx context.Context, id PeriodID, letter string, fn func(p Period) (Cancellation, audit.Entry, error),
	) (Cancellation, error)
	// ChangeCancellation locks a cancellation, runs fn on it, keeps what fn made of it, records the entry and queues the letter; a nil
	// entry means that nothing changed.
	ChangeCancellation(
		ctx context.Context, id CancellationID, letter string, fn func(ctx context.Context, c *Cancellation) (*audit.Entry, error),
	) (Cancellation, error)
	// CancellationOf finds the cancellation of a customer that is still to come true.
	CancellationOf(ctx context.Context, of account.CustomerID) (Cancellation, error)
	// CancellationsOf finds those of several customers.
	CancellationsOf(ctx context.Context, of []account.CustomerID) (map[account.CustomerID]Cancellation, error)
	// Cancellation finds a cancellation, whoever it is of.
	Cancellation(ctx context.Context, id CancellationID) (Cancellation, error)
	// CancellationsDue lists open ones that end by now, or whose customer's server does not work any more.
	CancellationsDue(ctx context.Context, now time.Time, limit int) ([]Cancellation, error)
	// Beginners lists customers behind one whose server is ready, who have no period that runs, and who have not cancelled for now or
	// before.
	Beginners(ctx context.Context, now time.Time, after account.CustomerID, limit int) ([]account.CustomerID, error)
	// Ending lists periods behind a place that run, and whose time is over at now or whose customer has no server any more.
	Ending(ctx context.Context, now time.Time, after Place, limit int) ([]Period, error)
	// Unbilled lists closed periods behind a place that ended until then, and before which none of their customer waits for its invoice.
	Unbilled(ctx context.Context, until time.Time, after Place, limit int) ([]Period, error)
	// Running is a page of the periods that run, the newest first.
	Running(ctx context.Context, ask page.Ask) (page.Of[Period], error)
	// OpenPeriods lists periods that are not billed, oldest first.
	OpenPeriods(ctx context.Context, limit int) ([]Period, error)
	// BilledBefore lists the newest billed periods of a customer that began before then, newest first.
	BilledBefore(ctx context.Context, of account.CustomerID, before time.Time, limit int) ([]BilledPeriod, error)
	// OutsidePeriods adds up what a customer used with the operator's key in no period, the oldest first.
	OutsidePeriods(ctx context.Context, of account.CustomerID) ([]Uncharged, error)
	// HasOpen says whether a customer has a period that is not billed yet.
	HasOpen(ctx context.Context, of account.CustomerID) (bool, error)
	// BilledPeriod finds a billed period, whoever has it.
	BilledPeriod(ctx context.Context, id PeriodID) (BilledPeriod, error)
	// Book reads the price book.
	Book(ctx context.Context) (pricing.Book, error)
	// BookNow reads the price book with the moment of that: each entry of then or before is in it, whichever hub adds it.
	BookNow(ctx context.Context, now func() time.Time) (pricing.Book, time.Time, error)
	// AddPrice adds the entry that fn makes to the book and records what fn says. Nobody reads with BookNow while fn runs, or until the
	// entry is there.
	AddPrice(ctx context.Context, fn func() (pricing.Entry, audit.Entry)) error
	// Buyer reads a customer as an invoice names it.
	Buyer(ctx context.Context, of account.CustomerID) (Buyer, error)
	// Files reads what is kept about the customers of periods, with up to so many billed ones before each.
	Files(ctx context.Context, all []Period, back int) (Files, error)
	// Profile reads how a customer is billed; the zero value when nobody has said anything.
	Profile(ctx context.Context, of account.CustomerID) (Profile, error)
	// SetProfile keeps how a customer is billed and records e.
	SetProfile(ctx context.Context, p Profile, e audit.Entry) error
	// FillsDue lists periods that run and whose pool is to be looked at by now, those that were never looked at first.
	FillsDue(ctx context.Context, now time.Time, limit int) ([]Period, error)
	// KeepFill keeps how full a pool is. When the notice has a part of which nobody was told in the period, nor of a larger one, it is
	// kept, its letters and messages are queued, and true is answered.
	KeepFill(ctx context.Context, f Fill, n PoolNotice) (bool, error)
	// FillOf is how full the pool of the customer's period that runs was when it was looked at last.
	FillOf(ctx context.Context, of account.CustomerID) (Fill, error)
	// PoolNotice finds a notice, whoever it is about: letters.
	PoolNotice(ctx context.Context, id string) (PoolNotice, error)
	// Choices lists what a customer chose for an empty pool, oldest first.
	Choices(ctx context.Context, of account.CustomerID) ([]Choice, error)
	// Choose adds a choice and records e.
	Choose(ctx context.Context, of account.CustomerID, c Choice, e audit.Entry) error
	// Credit locks an invoice, runs fn on it and its credit notes, numbers and keeps the new one, and queues what follows.
	Credit(ctx context.Context, id InvoiceID, fn func(i Invoice, before []CreditNote) (Credited, error)) (CreditNote, error)
	// CreditNotes lists the credit notes of an invoice, oldest first.
	CreditNotes(ctx context.Context, id InvoiceID) ([]CreditNote, error)
	// CreditNote finds a credit note, whoever has it: jobs.
	CreditNote(ctx context.Context, id CreditID) (CreditNote, error)
	// Refunded keeps that the money of a credit note went back, once, and records e.
	Refunded(ctx context.Context, n CreditNote, e audit.Entry) error
	// RefundFailed keeps that the money of a credit note did not go back after all, once, and records e.
	RefundFailed(ctx context.Context, n CreditNote, e audit.Entry) error
	// Issue gives invoices that are issued at one moment their numbers, keeps them and queues what follows, and makes their periods
	// BILLED: all or nothing. Those whose period is not CLOSED any more are left out.
	Issue(ctx context.Context, all []Issue) ([]Invoice, error)
	// Invoice finds an invoice, whoever has it: jobs and staff.
	Invoice(ctx context.Context, id InvoiceID) (Invoice, error)
	// InvoiceOf finds an invoice of that customer.
	InvoiceOf(ctx context.Context, of account.CustomerID, id InvoiceID) (Invoice, error)
	// InvoicesOf lists the invoices of a customer, newest first.
	InvoicesOf(ctx context.Context, of account.CustomerID, ask page.Ask) (page.Of[Invoice], error)
	// Summary counts periods and invoices of all customers, less what was credited; it leaves Waiting and Seller to Held and Book.
	Summary(ctx context.Context, now time.Time) (Summary, error)
	// Hold keeps why a closed period has no invoice yet, and queues a letter to the owners, where one is named.
	Hold(ctx context.Context, id PeriodID, why, letter string, at time.Time) error
	// AskAgain queues letter to the owners of each month that closed after then, waits because of why, and whose owners were not asked
	// since before. It says of how many months.
	AskAgain(ctx context.Context, why, letter string, closed, before, at time.Time) (int, error)
	// Founders is a page of the customers that are founding members at now, the newest customer first.
	Founders(ctx context.Context, now time.Time, ask page.Ask) (page.Of[Founder], error)
	// Held lists closed periods that wait for something, oldest first.
	Held(ctx context.Context, limit int) ([]Period, error)
	// Invoices lists the invoices of all customers that f leaves, with the names of those, newest first.
	Invoices(ctx context.Context, f Filter, now time.Time, ask page.Ask) (page.Of[Invoice], error)
	// ChangeInvoice locks an invoice, runs fn on it, keeps its state and payment, and records what fn says; a nil entry means that
	// nothing changed.
	ChangeInvoice(ctx context.Context, id InvoiceID, fn func(*Invoice) (*audit.Entry, error)) (Invoice, error)
}

// Service is what pages, the API and jobs do about periods and invoices.
type Service struct {
	Store  Store
	Usage  Usage
	Orders Orders
	Now    func() time.Time

	// Presets are the models behind the presets, by preset; may be nil.
	Presets func() map[string]string
	// Embeddings is the model that is offered to say what notes mean; empty: none. May be nil.
	Embeddings func() string
	// Closing says when the account of a customer who left is closed; may be nil.
	Closing Closing
	// Paused says why a customer's team has to rest, and since when where that is told, in the transaction of ctx; may be nil.
	Paused func(ctx context.Context, of account.CustomerID) (wire.PauseWhy, time.Time, error)
	// NoCard says whether a customer has no means of payment on file where one is needed, in the transaction of ctx; nil: none is.
	NoCard func(ctx context.Context, of account.CustomerID) (bool, error)
}

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func (s *Service) entry(of account.CustomerID, by audit.Actor, action, target string, details map[string]string) *audit.Entry {
	return &audit.Entry{
		ID: newID(), At: s.now(), By: by, CustomerID: string(of), Action: action, Target: target, Details: details,
	}
}

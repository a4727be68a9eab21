package payment

import (
	"context"
	"fmt"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/work"
)

// PaidBy is what stands in an order that was paid through the provider.
const PaidBy = "stripe"

// ID names a payment. The provider keeps it in every object that it makes for it.
type ID string

// State is where a payment stands.
type State string

// The states. What is paid stays paid: money that goes back is counted beside it.
const (
	Asked      State = "asked"      // a row of ours; the provider may have heard of it or not
	Waiting    State = "waiting"    // the customer has to do something: on the provider's page, or at their bank
	Processing State = "processing" // the bank is at it, which takes days for a direct debit
	Paid       State = "paid"
	Failed     State = "failed"
	Expired    State = "expired" // the page was open for too long, or was closed by us
)

// Over says whether nothing comes after this state by itself.
func (s State) Over() bool { return s == Paid || s == Failed || s == Expired }

// Payment is one try to take money: on the provider's page, or with the means of payment on file.
type Payment struct {
	ID         ID
	CustomerID account.CustomerID
	CheckoutID CheckoutID // of an order that is to be paid; empty: for an invoice
	OrderID    order.ID   // the order that it made; empty: none
	InvoiceID  string     // empty: for an order
	Hosted     bool       // on a page of the provider; else with what is on file
	Amount     pricing.Cents
	Currency   string
	State      State
	Page       string        // the provider's id of its page; empty where there is none
	Intent     string        // the provider's id of the payment; empty until it has one
	Code       string        // why it failed, as the provider calls it
	Refunded   pricing.Cents // of the amount that went back
	Looks      int           // counts the looks that were stored; one that is overtaken is not
	TriedAt    time.Time     // when the provider was first asked for it; zero: never
	CreatedAt  time.Time
	UpdatedAt  time.Time
	PaidAt     time.Time // zero until then
}

// CheckoutID names a checkout.
type CheckoutID string

// CheckoutState is where a checkout stands.
type CheckoutState string

// The states of a checkout.
const (
	Open    CheckoutState = "open"    // it waits for its payment
	Ordered CheckoutState = "ordered" // the payment has made the order
	Closed  CheckoutState = "closed"  // another order came first, or nobody paid for long
)

// Checkout is an order that waits for its payment: all that was chosen, as it was chosen, with the price of that moment.
type Checkout struct {
	ID         CheckoutID
	CustomerID account.CustomerID
	By         account.UserID
	Choice     order.Choice
	Price      pricing.Cents // a month
	Currency   string
	State      CheckoutState
	OrderID    order.ID  // Ordered only
	ToldAt     time.Time // when the customer was mailed that it waits; zero: not yet
	CreatedAt  time.Time
}

// RefundState is where a refund stands.
type RefundState string

// The states of a refund.
const (
	RefundAsked  RefundState = "asked"
	RefundDone   RefundState = "done"   // the provider has taken it; the bank may take days
	RefundFailed RefundState = "failed" // the provider cannot give it back: our staff must
)

// Why says why money goes back.
type Why string

// The reasons.
const (
	WhyTwice     Why = "twice"     // the same was paid twice
	WhyCancelled Why = "cancelled" // the order was called off before its server worked
	WhyWrong     Why = "wrong"     // another amount came than was asked for
	WhyStaff     Why = "staff"     // one of our staff gave it back
)

// Refund is money that goes back.
type Refund struct {
	ID        string
	PaymentID ID
	Amount    pricing.Cents
	Why       Why
	Reason    string // WhyStaff only: in their words
	CreditID  string // the credit note that it belongs to; empty: none
	By        string
	State     RefundState
	Provider  string // the provider's id of it; empty until it has one
	Code      string // why it failed
	TriedAt   time.Time
	CreatedAt time.Time
	DoneAt    time.Time
}

// Payer is a customer at the provider.
type Payer struct {
	CustomerID account.CustomerID
	Provider   string // the provider's id
	Method     Method
	SeenAt     time.Time // when Method was looked at
}

// Method is a means of payment on file: what may be shown of it.
type Method struct {
	ID    string // the provider's id; empty: there is none
	Kind  string // card, sepa_debit, …
	Brand string // visa, …; empty where there is none
	Last4 string
	Month int // when a card expires; 0 where nothing does
	Year  int
}

// Dispute is a payment that the customer's bank takes back, or wants to.
type Dispute struct {
	ID        string // the provider's
	PaymentID ID
	Amount    pricing.Cents
	Reason    string // as the provider calls it
	State     string // needs_response, under_review, won, lost, …
	DueAt     time.Time
	OpenedAt  time.Time
	SeenAt    time.Time
}

// Lost says whether the money is gone.
func (d Dispute) Lost() bool { return d.State == "lost" }

// Won says whether the money stays.
func (d Dispute) Won() bool { return d.State == "won" || d.State == "warning_closed" }

// Change is what comes with a changed payment, in the same transaction.
type Change struct {
	Refund *Refund
	Method *Method // what was paid with, to be kept on file for the customer
	Work   []work.Item
}

// Store is what Service needs; db.Payments has it.
type Store interface {
	// Begin stores a checkout, with its customer when that is new, and queues follow: all or nothing. An address that is taken is
	// account.ErrEmailTaken.
	Begin(ctx context.Context, c Checkout, acc *account.New, follow []work.Item) error
	// PayersLeft lists customers at the provider whose customer here was erased, as long as they are not deleted there.
	PayersLeft(ctx context.Context, limit int) ([]string, error)
	// PayerRemoved notes that one of them was deleted there.
	PayerRemoved(ctx context.Context, id string, at time.Time) error
	// Waiting finds the newest open checkout of a customer.
	Waiting(ctx context.Context, of account.CustomerID) (Checkout, error)
	// Checkout finds a checkout whoever has it.
	Checkout(ctx context.Context, id CheckoutID) (Checkout, error)
	// CloseOld closes open checkouts of before, and says how many.
	CloseOld(ctx context.Context, before time.Time) (int, error)
	// TellWaiting queues letters about checkouts that have waited since before and that nobody was told of, and says how many.
	TellWaiting(ctx context.Context, now, before time.Time, letter string) (int, error)
	// TellOne queues the letter about one checkout, once.
	TellOne(ctx context.Context, id CheckoutID, now time.Time, letter string) error

	// Add stores a payment that is to be asked for. A second one of an invoice at the same time is ErrUnderWay.
	Add(ctx context.Context, p Payment) error
	// Latest finds the newest payment of a checkout.
	Latest(ctx context.Context, id CheckoutID) (Payment, error)
	// Get finds a payment of that customer.
	Get(ctx context.Context, of account.CustomerID, id ID) (Payment, error)
	// Find finds a payment whoever has it: jobs.
	Find(ctx context.Context, id ID) (Payment, error)
	// By finds the payment of a page or an intent of the provider.
	By(ctx context.Context, page, intent string) (Payment, error)
	// OfOrder finds the payment that made an order.
	OfOrder(ctx context.Context, id order.ID) (Payment, error)
	// Unsettled lists payments that are not over and were last looked at before, oldest first.
	Unsettled(ctx context.Context, before time.Time, limit int) ([]ID, error)
	// Remaining is how much of a payment can still go back: what was paid, less what went back and what is being given back.
	Remaining(ctx context.Context, id ID) (pricing.Cents, error)
	// OfInvoice finds the newest payment of an invoice.
	OfInvoice(ctx context.Context, invoice string) (Payment, error)
	// Apply sets what a customer paid in advance, and was not set against an invoice yet, against this one. It says how much of the
	// invoice is paid with that, and how much was too much.
	Apply(ctx context.Context, of account.CustomerID, invoice string, total pricing.Cents) (advance, over pricing.Cents, err error)
	// Tries counts the payments that were asked for an invoice.
	Tries(ctx context.Context, invoice string) (int, error)
	// Postpone has the open dunning of an invoice wait until then for its next try; nothing when there is none.
	Postpone(ctx context.Context, invoice string, until time.Time) error
	// Any says whether the provider has taken, or was asked to take, anything for anybody.
	Any(ctx context.Context) (bool, error)
	// Applied finds the payment that was set against an invoice.
	Applied(ctx context.Context, invoice string) (Payment, error)

	// DunningOf finds the open dunning of an invoice.
	DunningOf(ctx context.Context, invoice string) (Dunning, error)
	// DunningsOf lists the open ones of a customer, the oldest first.
	DunningsOf(ctx context.Context, of account.CustomerID) ([]Dunning, error)
	// Dunnings lists open ones of which something is due at now: a try, a pause of those since graceOver, the last word to those paused
	// since lastOver, the end of those paused since pauseOver; and those whose invoice nobody has to pay any more.
	Dunnings(ctx context.Context, now, graceOver, lastOver, pauseOver time.Time) ([]Dunning, error)
	// CollectMissed queues the collection of open invoices issued before then of which nothing is on its way: no job, no payment, no
	// dunning. It says of how many.
	CollectMissed(ctx context.Context, before time.Time) (int, error)
	// ChangeDunning locks the dunning of the same invoice or payment, which it makes of fresh when there is none, or opens again, runs
	// fn on it, keeps it, and queues the letter that fn names to the owners: all or nothing.
	ChangeDunning(ctx context.Context, fresh Dunning, fn func(*Dunning) (letter string, err error)) error
	// CloseDunning ends that of an invoice.
	CloseDunning(ctx context.Context, invoice string, at time.Time) error
	// Forgive ends an open one of that customer and records e: both or neither.
	Forgive(ctx context.Context, of account.CustomerID, id string, at time.Time, e audit.Entry) error
	// Dunning finds one, whoever it is about: mails.
	Dunning(ctx context.Context, id string) (Dunning, error)
	// TellExpiring queues letters to the owners whose card expires before then and whose server works, once for each card.
	TellExpiring(ctx context.Context, before time.Time, letter string) (int, error)
	// TryNow has open ones of a provider's customer tried at once.
	TryNow(ctx context.Context, payer string, at time.Time) error
	// Recovered lists customers whose order ended unpaid and is not released, and who owe nothing any more.
	Recovered(ctx context.Context) ([]account.CustomerID, error)
	// TellStaff queues a letter to all of our staff who may manage payments.
	TellStaff(ctx context.Context, roles []string, letter, ref string) error

	// Change locks a payment with its checkout (nil: it has none), runs fn on them and saves both with what fn returned: all or
	// nothing. What fn calls with its ctx belongs to the same transaction.
	Change(ctx context.Context, id ID, fn func(ctx context.Context, p *Payment, c *Checkout) (Change, error)) error

	// Payer finds a customer at the provider; the zero Payer when it is not known there.
	Payer(ctx context.Context, of account.CustomerID) (Payer, error)
	// SavePayer stores it. One that was stored meanwhile stays, and is returned.
	SavePayer(ctx context.Context, p Payer) (Payer, error)
	// SetMethod stores the means of payment of the provider's customer.
	SetMethod(ctx context.Context, payer string, m Method, at time.Time) error

	// AddRefund stores a refund of a payment and queues its work, records e when it is not nil: all or nothing. More than was paid
	// and has not gone back is ErrTooMuch.
	AddRefund(ctx context.Context, r Refund, e *audit.Entry) error
	// Refund finds a refund with its payment.
	Refund(ctx context.Context, id string) (Refund, Payment, error)
	// CreditRefunds lists the refunds of a credit note.
	CreditRefunds(ctx context.Context, credit string) ([]Refund, error)
	// PaymentsOf lists what was paid for an invoice, the newest first, what was paid in advance among it.
	PaymentsOf(ctx context.Context, invoice string) ([]Payment, error)
	// SaveRefund stores how a refund goes.
	SaveRefund(ctx context.Context, r Refund) error

	// Keep stores an event of the provider as it came and queues its work, once for each id. It says whether it is new.
	Keep(ctx context.Context, e Event, at time.Time) (fresh bool, err error)
	// Event finds an event.
	Event(ctx context.Context, id string) (Event, error)
	// Done notes that an event was dealt with.
	Done(ctx context.Context, id, outcome string, at time.Time) error
	// CaughtUp is until when all events were fetched; zero: never.
	CaughtUp(ctx context.Context) (time.Time, error)
	// CatchUpTo notes that all events until then are kept. It never goes back.
	CatchUpTo(ctx context.Context, until time.Time) error
	// RefundsOf lists the refunds of a payment.
	RefundsOf(ctx context.Context, id ID) ([]Refund, error)
	// Sheet lists what was paid by a customer; Unpaid is left out.
	Sheet(ctx context.Context, of account.CustomerID) (Sheet, error)
	// SaveDispute stores how a dispute stands.
	SaveDispute(ctx context.Context, d Dispute) (fresh bool, err error)
}

// Orders makes and ends orders; order.Service is one.
type Orders interface {
	Prepare(ctx context.Context, c order.Choice) (pricing.Plan, order.Choice, error)
	Place(ctx context.Context, p order.Placing) (order.Order, error)
	Told(ctx context.Context, o order.Order)
	Withdraw(ctx context.Context, of account.CustomerID, id order.ID, text string) (order.Order, error)
	Of(ctx context.Context, of account.CustomerID) (order.Order, error)
	End(ctx context.Context, of account.CustomerID, id order.ID, why order.EndReason, by audit.Actor) (order.Order, error)
	Keep(ctx context.Context, of account.CustomerID, id order.ID, by audit.Actor) (order.Order, error)
}

// Accounts knows people; account.Service is one.
type Accounts interface {
	Prepare(ctx context.Context, in account.SignUp) (account.New, error)
	Customer(ctx context.Context, id account.CustomerID) (account.Customer, error)
	User(ctx context.Context, of account.CustomerID, id account.UserID) (account.User, error)
}

// Service is what pages, webhooks and jobs do with payments.
type Service struct {
	Store    Store
	Provider Provider
	Orders   Orders
	Accounts Accounts
	Invoices Invoices
	Public   string // the hub's address, where browsers return to
	Now      func() time.Time
}

// On says whether payments are taken: without a key of the provider the built-in test checkout completes orders.
func (s *Service) On() bool { return s != nil && s.Provider.Ready() }

// ErrKeyGone says that the key of the provider is missing where money was taken before.
var ErrKeyGone = fault.New(fault.Away, "payment-key-gone", "the payment provider's key is missing, and real payments exist",
	"Payments cannot be taken right now. Nothing was ordered and nothing was charged. Please try again later.")

// MayTest refuses the built-in test checkout where payments are taken, or ever were: a key that is lost must not make anything free.
func (s *Service) MayTest(ctx context.Context) error {
	if s.On() {
		return ErrKeyGone
	}
	taken, err := s.Store.Any(ctx)
	if err != nil {
		return fmt.Errorf("may the test checkout be used: %w", err)
	}
	if taken {
		return ErrKeyGone
	}
	return nil
}

package payment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse/app/fault"
	"gatehouse/app/pricing"
)

// Provider is the payment provider; stripepay.Client is one. key makes a write harmless when it is repeated: the same key is
// answered with the same object. Errors: ErrAway for what may work later, *Declined for what the bank refused, else ErrOurs.
type Provider interface {
	// Ready says whether a key is set.
	Ready() bool
	// AddPayer makes a customer and returns its id.
	AddPayer(ctx context.Context, key string, p NewPayer) (string, error)
	// RemovePayer deletes a customer, with the means of payment on file. One that is gone already is no error.
	RemovePayer(ctx context.Context, payer string) error
	// OpenPage makes a page on which a customer pays once.
	OpenPage(ctx context.Context, key string, a PageAsk) (Page, error)
	// Page looks at a page.
	Page(ctx context.Context, id string) (Page, error)
	// ClosePage ends a page that is open; one that is not stays as it is.
	ClosePage(ctx context.Context, id string) error
	// Charge takes money with a means of payment on file, while nobody is there.
	Charge(ctx context.Context, key string, a ChargeAsk) (Seen, error)
	// Look looks at a payment.
	Look(ctx context.Context, intent string) (Seen, error)
	// Charges lists the payments of a payer that were made since then, the newest first.
	Charges(ctx context.Context, payer string, since time.Time) ([]Seen, error)
	// Refund gives money back.
	Refund(ctx context.Context, key string, a RefundAsk) (RefundSeen, error)
	// Refunds lists what went back of a payment.
	Refunds(ctx context.Context, intent string) ([]RefundSeen, error)
	// Dispute looks at a dispute.
	Dispute(ctx context.Context, id string) (DisputeSeen, error)
	// Method looks at the means of payment that a payer has on file: the one to be used next.
	Method(ctx context.Context, payer string) (Method, error)
	// Portal makes a page where a payer changes the means of payment, and returns its address.
	Portal(ctx context.Context, payer, back string) (string, error)
	// Events lists what happened since then, oldest first.
	Events(ctx context.Context, since time.Time) ([]Event, error)
	// Verify reads an event that was sent to us, or says why it is none of the provider's.
	Verify(body []byte, signature string, now time.Time) (Event, error)
}

// NewPayer is who becomes a customer at the provider.
type NewPayer struct {
	Customer string // our id
	Name     string
	Email    string
	Locale   string
}

// PageAsk is what a page asks a customer to pay.
type PageAsk struct {
	Payment  ID
	Payer    string
	Amount   pricing.Cents
	Currency string
	Title    string // what is paid, in the customer's words
	Locale   string
	Back     string // where the browser goes when it was paid
	Cancel   string // where it goes when somebody leaves the page
	Until    time.Time
}

// Page is a page of the provider as it was seen.
type Page struct {
	ID      string
	Ours    ID
	URL     string // empty unless it is open
	Open    bool
	Expired bool
	Payment *Seen // nil until somebody has tried to pay
}

// ChargeAsk is money to be taken with the means of payment on file.
type ChargeAsk struct {
	Payment  ID
	Payer    string
	Method   string
	Amount   pricing.Cents
	Currency string
	Title    string
}

// Seen is a payment as the provider showed it.
type Seen struct {
	Intent   string
	Ours     ID     // empty: it is none of ours
	Payer    string // may be empty
	State    State
	Amount   pricing.Cents
	Currency string // in capitals
	Code     string // why the last try failed
	Refunded pricing.Cents
	Method   Method
}

// RefundAsk is money to be given back.
type RefundAsk struct {
	Refund string
	Intent string
	Amount pricing.Cents
	Why    Why
}

// RefundSeen is a refund as the provider showed it.
type RefundSeen struct {
	ID     string
	Ours   string // empty: it was made elsewhere
	Amount pricing.Cents
	Failed bool
	Code   string
}

// DisputeSeen is a dispute as the provider showed it.
type DisputeSeen struct {
	Dispute
	Intent string
}

// Event is a hint of the provider that something of it changed.
type Event struct {
	ID      string
	Kind    string // payment_intent.succeeded, …
	Object  string // the kind of the object: payment_intent, charge, …
	Of      string // its id
	Intent  string // the payment that it belongs to; may be empty
	Payer   string // may be empty
	At      time.Time
	Raw     []byte
	DoneAt  time.Time // zero until it was dealt with
	Outcome string
}

// ErrAway says that the provider cannot be reached, has trouble, or wants to be asked less often: try again later.
var ErrAway = fault.New(fault.Away, "payment-away", "payment provider is away",
	"The payment service cannot be reached right now. Nothing was charged. Your choices are saved. Try again in a moment.")

// ErrSignature says that an event was not sent by the provider.
var ErrSignature = fault.New(fault.Malformed, "signature", "signature of an event does not fit", "The signature does not fit.")

// Declined says that the bank refused a payment.
type Declined struct {
	Code string // card_declined, insufficient_funds, authentication_required, …
	Seen Seen   // the payment as it stands then; may be empty
}

func (d *Declined) Error() string { return fmt.Sprintf("payment declined: %s", d.Code) }

// ErrOurs says that the provider refused what we asked for as it stands: the fault is ours, and the bank was never asked.
var ErrOurs = errors.New("the payment provider does not take this request")

// AsDeclined finds a Declined in err.
func AsDeclined(err error) (*Declined, bool) {
	var d *Declined
	return d, errors.As(err, &d)
}

package billing

import (
	"time"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
	"gatehouse/app/work"
)

// InvoiceID names an invoice.
type InvoiceID string

// State is how an invoice stands.
type State string

// The states of an invoice.
const (
	Open          State = "open"
	Paid          State = "paid"
	Uncollectible State = "uncollectible" // given up; it can still be paid
	Void          State = "void"          // it holds no more: a credit note stands against all of it
)

// PaidByTest marks what the built-in test checkout paid: no money was taken.
const PaidByTest = "test"

// PaidBySmall marks what is too small to be charged: it is settled without money.
const PaidBySmall = "small"

// Issue is an invoice to be issued, without a number, and the work that follows.
type Issue struct {
	Invoice

	Follow []work.Item
}

// Invoice is what a customer owes for a period. Its lines, amounts, number and parties never change once it is issued.
type Invoice struct {
	ID         InvoiceID
	Number     string // for people: "2026-000123", without gaps within a year
	CustomerID account.CustomerID
	PeriodID   PeriodID
	From, To   time.Time // of the period
	Net        pricing.Cents
	Tax        pricing.Cents
	Total      pricing.Cents // Net + Tax
	Credited   pricing.Cents // of Total, by credit notes
	Currency   string
	State      State
	IssuedAt   time.Time
	DueAt      time.Time
	PaidAt     time.Time // zero until it is paid
	PaidBy     string    // how: "test" is the built-in checkout, which takes no money
	FailedAt   time.Time // when a payment failed last; zero when none did
	FailedWhy  string    // in words for the customer
	Lines      []Line
	Terms      Terms
	Customer   string // name of the business, where our staff read lists; else empty
}

// Owed is what is still to be collected of an open invoice.
func (i Invoice) Owed() pricing.Cents { return i.Total - i.Credited }

// LineKind says what a line is for.
type LineKind string

// The kinds of lines: stored in rows, never rename.
const (
	LinePlan    LineKind = "plan"
	LineOverage LineKind = "overage" // tokens beyond the pool
	LinePremium LineKind = "premium" // tokens of premium models
	LineLate    LineKind = "late"    // usage of a billed period that was reported later
)

// Line is one amount of an invoice, with all that it was computed from.
type Line struct {
	Kind    LineKind      `json:"kind"`
	Plan    string        `json:"plan,omitempty"`
	Pool    int64         `json:"pool,omitempty"`  // of a plan: tokens that it holds, multiplied
	Times   int64         `json:"times,omitempty"` // of a plan: what the pool is multiplied with
	Model   string        `json:"model,omitempty"`
	From    time.Time     `json:"from"`
	To      time.Time     `json:"to"`
	Net     pricing.Cents `json:"net"`               // of a late line also less than nothing
	Late    LineKind      `json:"late,omitempty"`    // of a late line: what it would have been
	Of      PeriodID      `json:"of,omitempty"`      // of a late line: the period whose usage it is
	Metered *Metered      `json:"metered,omitempty"` // of overage, premium and late lines
}

// Metered is how the amount of tokens came about.
type Metered struct {
	Tokens  pricing.Tokens `json:"tokens"`
	Base    pricing.Prices `json:"base"`           // USD micros per million, what the tokens cost us
	Markup  int64          `json:"markup_percent"` // on Base
	Rate    pricing.Rate   `json:"eur_micros_per_usd"`
	RateDay string         `json:"rate_day"`         // 2006-01-02
	Filled  string         `json:"filled,omitempty"` // the day from which Base holds, where none held when the tokens were used
}

// Terms are parties and tax of an invoice, as they were when it was issued.
type Terms struct {
	Seller  Party  `json:"seller"`
	Buyer   Party  `json:"buyer"`
	TaxRate int64  `json:"tax_basis_points"` // hundredths of a percent: 2000 is 20 %
	Reverse bool   `json:"reverse_charge"`   // the buyer owes the tax
	Zone    string `json:"zone"`             // in which its days are told
}

// Party is who sells or buys.
type Party struct {
	Name    string `json:"name"`
	Address string `json:"address"` // lines
	Country string `json:"country"` // two letters
	VATID   string `json:"vat_id,omitempty"`
	Email   string `json:"email,omitempty"`
	IBAN    string `json:"iban,omitempty"` // of the seller

	TaxNumber string `json:"tax_number,omitempty"` // of the seller, where it has no VAT id
}

// Refusals about invoices.
var (
	ErrInvoiceOver = fault.New(fault.Conflict, "invoice-over", "invoice is paid or void",
		"This invoice is paid or void already. Nothing was changed.")
)

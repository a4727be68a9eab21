package invoice

import (
	"context"
	"strings"
	"time"

	"gatehouse/views/i18n"
)

// Props is an invoice. Amounts are cents; times are in the customer's zone.
type Props struct {
	Number         string
	Issued, Due    time.Time
	From, To       time.Time // of the period
	State          string
	Paid           time.Time
	Test           bool // paid by the built-in test checkout: no money was taken
	Small          bool // too small to be charged: settled without money
	Failed         string
	Seller, Buyer  Party
	Lines          []Line
	Net, Tax       int64
	Total          int64
	TaxBasisPoints int64
	Reverse        bool
	Exempt         bool // the seller bears no tax in its country
	Outside        bool // sold beyond the Union: not subject to tax here
	Credits        []Credit
}

// Credit is a credit note against the invoice, in cents.
type Credit struct {
	Number, Reason         string
	File                   string // path of its e-invoice; empty in a file
	Net, Total             int64
	Issued                 time.Time
	Refund, Refunded, Test bool
	Failed                 bool // the bank sent back what had gone back
}

// XMLFile is the path of an invoice as an e-invoice, below that of its page.
func XMLFile(page string) string { return page + "/xml" }

// CreditFile is the path of a credit note as an e-invoice, below the page of its invoice.
func CreditFile(page, id string) string { return page + "/credits/" + id + "/xml" }

// Text says what a credit note takes back, and where the money is.
func (c Credit) Text(ctx context.Context) string {
	text := i18n.T(ctx, "billing.credit_text", "number", c.Number, "day", i18n.Date(ctx, c.Issued), "amount", i18n.Amount(ctx, c.Total),
		"reason", c.Reason)
	switch {
	case c.Failed && !c.Refunded:
		return text + " " + i18n.T(ctx, "billing.credit_failed")
	case c.Test:
		return text + " " + i18n.T(ctx, "billing.credit_test")
	case c.Refunded:
		return text + " " + i18n.T(ctx, "billing.credit_refunded")
	case c.Refund:
		return text + " " + i18n.T(ctx, "billing.credit_refund")
	}
	return text
}

// Party is who sells or buys.
type Party struct{ Name, Address, Country, VATID, TaxNumber, Email, IBAN string }

// Line is one amount. What it is computed from is there for tokens alone.
type Line struct {
	Kind, Late  string
	Plan, Model string
	From, To    time.Time
	Net         int64
	Pool, Times int64
	Metered     bool
	Tokens      [4]int64 // input, output, cache read, cache write
	Base        [4]int64 // USD micros per million
	Markup      int64
	Rate        int64 // EUR micros per USD
	RateDay     string
	Filled      string // the day from which Base holds, where none held before
}

var lineWords = map[string]i18n.Key{
	"plan": "billing.line_plan", "overage": "billing.line_overage", "premium": "billing.line_premium", "late": "billing.line_late",
}

// Text says what a line is for.
func (l Line) Text(ctx context.Context) string {
	return i18n.T(ctx, lineWords[l.Kind], "plan", l.Plan, "model", l.Model)
}

// lastDay is the last day of a time that ends before to.
func lastDay(to time.Time) time.Time { return to.Add(-time.Nanosecond) }

// Details say how the amount of a line came about, a line each.
func (l Line) Details(ctx context.Context) (all []string) {
	all = append(all, i18n.T(ctx, "billing.line_from", "from", i18n.Date(ctx, l.From), "to", i18n.Date(ctx, lastDay(l.To))))
	if l.Kind == "plan" {
		text := i18n.T(ctx, "billing.line_pool", "pool", l.Pool)
		if l.Times > 1 {
			text = i18n.T(ctx, "billing.line_pool_founding", "pool", l.Pool, "times", l.Times)
		}
		return append(all, text)
	}
	if !l.Metered {
		return all
	}
	for i, key := range [...]i18n.Key{"billing.token_input", "billing.token_output", "billing.token_read", "billing.token_write"} {
		if l.Tokens[i] != 0 {
			all = append(all, i18n.T(ctx, "billing.line_tokens", "kind", i18n.T(ctx, key), "n", l.Tokens[i], "price",
				Micros(ctx, l.Base[i])))
		}
	}
	if l.Filled != "" {
		all = append(all, i18n.T(ctx, "billing.line_filled", "day", l.Filled))
	}
	return append(all, i18n.T(ctx, "billing.line_rate", "markup", l.Markup, "rate", Micros(ctx, l.Rate), "day", l.RateDay))
}

// Micros writes millionths with as many decimals as they have, two at least: "0.15", "0.9213".
func Micros(ctx context.Context, n int64) string {
	text := i18n.Decimal(ctx, float64(n)/1e6, 6)
	for strings.HasSuffix(text, "0") && len(text)-strings.LastIndexAny(text, ".,") > 3 {
		text = text[:len(text)-1]
	}
	return text
}

// Lines are the lines of a party, as on an envelope.
func (p Party) Lines(ctx context.Context) []string {
	all := []string{p.Name}
	for line := range strings.Lines(p.Address) {
		all = append(all, strings.TrimSpace(line))
	}
	all = append(all, p.Country)
	for _, extra := range []struct {
		key   i18n.Key
		value string
	}{{"billing.vat_id", p.VATID}, {"billing.tax_number", p.TaxNumber}, {"billing.email", p.Email}, {"billing.iban", p.IBAN}} {
		if extra.value != "" {
			all = append(all, i18n.T(ctx, extra.key)+": "+extra.value)
		}
	}
	return all
}

// sums are what the lines add up to.
func (p Props) sums(ctx context.Context) []Sum {
	return []Sum{
		{Text: i18n.T(ctx, "billing.net"), Cents: p.Net},
		{Text: p.TaxText(ctx), Cents: p.Tax},
		{Text: i18n.T(ctx, "billing.total"), Cents: p.Total, Strong: true},
	}
}

// TaxText names the tax.
func (p Props) TaxText(ctx context.Context) string {
	switch {
	case p.Reverse:
		return i18n.T(ctx, "billing.tax_reverse")
	case p.Exempt:
		return i18n.T(ctx, "billing.tax_exempt")
	case p.Outside:
		return i18n.T(ctx, "billing.tax_outside")
	}
	return i18n.T(ctx, "billing.tax", "rate", i18n.Amount(ctx, p.TaxBasisPoints))
}

var stateWords = map[string]i18n.Key{
	"open": "billing.state_open", "paid": "billing.state_paid", "uncollectible": "billing.state_uncollectible",
	"void": "billing.state_void",
}

// StateText says how an invoice stands.
func StateText(ctx context.Context, state string) string { return i18n.T(ctx, stateWords[state]) }

// StateKind is how it is marked.
func StateKind(state string) string {
	switch state {
	case "open":
		return "busy"
	case "paid":
		return "ok"
	case "uncollectible":
		return "bad"
	}
	return "off"
}

// Notes are what is said below the sum.
func (p Props) Notes(ctx context.Context) (all []string) {
	switch {
	case p.Reverse:
		all = append(all, i18n.T(ctx, "billing.note_reverse"))
	case p.Exempt:
		all = append(all, i18n.T(ctx, "billing.note_exempt", "country", p.Seller.Country))
	case p.Outside:
		all = append(all, i18n.T(ctx, "billing.note_outside", "country", p.Seller.Country))
	}
	switch {
	case p.State == "paid" && p.Small:
		all = append(all, i18n.T(ctx, "billing.note_small"))
	case p.State == "paid" && p.Test:
		all = append(all, i18n.T(ctx, "billing.note_test", "day", i18n.Date(ctx, p.Paid)))
	case p.State == "paid":
		all = append(all, i18n.T(ctx, "billing.note_paid", "day", i18n.Date(ctx, p.Paid)))
	case p.State == "void":
		all = append(all, i18n.T(ctx, "billing.note_void"))
	default:
		all = append(all, i18n.T(ctx, "billing.note_due", "day", i18n.Date(ctx, p.Due)))
	}
	return append(all, i18n.T(ctx, "billing.note_rounding"))
}

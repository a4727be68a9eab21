package einvoice

import (
	"time"

	"gatehouse/app/billing"
	"gatehouse/app/pricing"
)

// Document is an invoice, or a credit note against one. Days are those of the customer's zone.
type Document struct {
	Number        string
	Issued        time.Time
	Due           time.Time // zero for credit notes
	From, To      time.Time // first and last day of the month that is billed
	Against       Against   // of a credit note; else zero
	Currency      string
	Seller, Buyer billing.Party
	Category      billing.TaxCategory
	TaxRate       int64  // hundredths of a percent
	Terms         string // when and how it is paid, in words
	Lines         []Line
	Net, Tax      pricing.Cents
	Total         pricing.Cents
}

// Against is the invoice that a credit note takes back from.
type Against struct {
	Number string
	Issued time.Time
}

// Line is one amount. What was reported late lies outside of the month and has no days here: its text says which.
type Line struct {
	Name, Detail string
	From, To     time.Time // first and last day; zero where there are none
	Net          pricing.Cents
}

// Words are the texts of a document, in the language of who reads it.
type Words struct {
	Terms string                                        // when and how it is paid
	Line  func(l billing.Line) (name, detail string)    // of an invoice
	Note  func(n billing.CreditNote) (name, why string) // of the one line of a credit note
}

// Invoice is the document of an invoice, as it was issued.
func Invoice(i billing.Invoice, w Words) Document {
	d := outline(i, w)
	d.Number, d.Issued, d.Due = i.Number, i.IssuedAt.In(zone(i)), i.DueAt.In(zone(i))
	d.Net, d.Tax, d.Total = i.Net, i.Tax, i.Total
	for _, l := range i.Lines {
		v := Line{Net: l.Net}
		v.Name, v.Detail = w.Line(l)
		if l.Kind != billing.LineLate {
			v.From, v.To = days(l.From, l.To, zone(i))
		}
		d.Lines = append(d.Lines, v)
	}
	return d
}

// CreditNote is the document of a credit note against an invoice.
func CreditNote(i billing.Invoice, n billing.CreditNote, w Words) Document {
	d := outline(i, w)
	d.Number, d.Issued = n.Number, n.IssuedAt.In(zone(i))
	d.Against = Against{Number: i.Number, Issued: i.IssuedAt.In(zone(i))}
	d.Net, d.Tax, d.Total = n.Net, n.Tax, n.Total
	l := Line{Net: n.Net}
	l.Name, l.Detail = w.Note(n)
	d.Lines = []Line{l}
	return d
}

// outline is what an invoice and a credit note against it have in common.
func outline(i billing.Invoice, w Words) Document {
	d := Document{
		Currency: i.Currency, Seller: i.Terms.Seller, Buyer: i.Terms.Buyer, Category: i.Terms.Category(), TaxRate: i.Terms.TaxRate,
		Terms: w.Terms,
	}
	d.From, d.To = days(i.From, i.To, zone(i))
	return d
}

// days are the first and the last day of a time that ends before to.
func days(from, to time.Time, in *time.Location) (first, last time.Time) {
	return from.In(in), to.Add(-time.Nanosecond).In(in)
}

func zone(i billing.Invoice) *time.Location {
	in, err := time.LoadLocation(i.Terms.Zone)
	if err != nil {
		return time.UTC
	}
	return in
}

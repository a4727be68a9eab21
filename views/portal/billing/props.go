package billing

import (
	"context"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/invoice"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// AddressPath is where what invoices say about the buyer is kept.
const AddressPath = portal.Billing + "/address"

// InvoicePath is the page of an invoice.
func InvoicePath(id string) string { return portal.Billing + "/invoices/" + url.PathEscape(id) }

// PDFPath is an invoice as a file.
func PDFPath(id string) string { return InvoicePath(id) + "/pdf" }

// Props is how a customer's billing stands. Amounts are cents without tax.
type Props struct {
	Card          *Card    // on file; nil where no payments are taken
	Leaving       *Leaving // the plan ends or has ended; nil: neither
	Runs          bool
	Plan          string
	Monthly       int64
	From, To      time.Time
	Pool          portal.Pool
	Times         int64 // what the pool is multiplied with
	FoundingUntil time.Time
	Over          int64 // tokens beyond the pool, not charged
	Lines         []invoice.Line
	Net           int64
	Held          bool // amounts that are not known yet are missing
	Overage       bool
	Invoices      []Row
	Older         string
	NoAddress     bool // an invoice that needs the address has to wait for it
	Typed         map[string]string
	Problems      map[string]string
}

// Row is an invoice in the list.
type Row struct {
	ID, Number, State string
	Issued, Due       time.Time
	Total             int64
	Test              bool
}

func (p Props) field(ctx context.Context, name string, f ui.Field) ui.Field {
	f.Name, f.Label = name, i18n.T(ctx, i18n.Key("billing.field_"+name))
	f.Value, f.Error = p.Typed[name], p.Problems[name]
	return f
}

func (p Props) problems() []ui.Problem {
	var all []ui.Problem
	for _, name := range []string{"name", "address", "country", "vat_id"} {
		if text := p.Problems[name]; text != "" {
			all = append(all, ui.Problem{Field: name, Text: text})
		}
	}
	return all
}

func (p Props) table(ctx context.Context) ui.Table {
	t := ui.Table{
		ID: "invoices", Caption: i18n.T(ctx, "billing.invoices"), Path: portal.Billing,
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "billing.number"), Main: true},
			{Label: i18n.T(ctx, "billing.issued")},
			{Label: i18n.T(ctx, "billing.state")},
			{Label: i18n.T(ctx, "billing.total"), Num: true},
			{Label: "PDF"},
		},
		Empty: ui.Empty{Title: i18n.T(ctx, "billing.no_invoices"), Body: i18n.T(ctx, "billing.no_invoices_text")},
	}
	for _, r := range p.Invoices {
		state := invoice.StateText(ctx, r.State)
		if r.Test {
			state = i18n.T(ctx, "billing.state_test")
		}
		t.Rows = append(t.Rows, ui.Row{ID: "invoice-" + r.ID, Cells: cells(
			ui.Link(InvoicePath(r.ID), r.Number), ui.Text(i18n.Date(ctx, r.Issued)), ui.Status(invoice.StateKind(r.State), state),
			ui.Text(i18n.Amount(ctx, r.Total)+" €"), ui.Link(PDFPath(r.ID), i18n.T(ctx, "billing.pdf")),
		)})
	}
	return t
}

func cells(all ...templ.Component) []templ.Component { return all }

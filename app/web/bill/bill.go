package bill

import (
	"bytes"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/billing"
	"gatehouse/app/web"
	"gatehouse/views/invoice"
)

// Props is an invoice as its page and its PDF show it.
func Props(i billing.Invoice) invoice.Props {
	zone, err := time.LoadLocation(i.Terms.Zone)
	if err != nil {
		zone = time.UTC
	}
	p := invoice.Props{
		Number: i.Number, Issued: i.IssuedAt.In(zone), Due: i.DueAt.In(zone), From: i.From.In(zone), To: i.To.In(zone),
		State: string(i.State), Paid: i.PaidAt.In(zone), Test: i.PaidBy == billing.PaidByTest,
		Small:  i.PaidBy == billing.PaidBySmall,
		Seller: party(i.Terms.Seller), Buyer: party(i.Terms.Buyer), Net: int64(i.Net), Tax: int64(i.Tax), Total: int64(i.Total),
		TaxBasisPoints: i.Terms.TaxRate, Reverse: i.Terms.Reverse,
		Exempt: i.Terms.Category() == billing.TaxExempt, Outside: i.Terms.Category() == billing.TaxOutside,
	}
	if i.State == billing.Open {
		p.Failed = i.FailedWhy
	}
	for _, l := range i.Lines {
		p.Lines = append(p.Lines, Line(l, zone))
	}
	return p
}

func party(p billing.Party) invoice.Party {
	return invoice.Party{
		Name: p.Name, Address: p.Address, Country: p.Country, VATID: p.VATID, TaxNumber: p.TaxNumber, Email: p.Email, IBAN: p.IBAN,
	}
}

// Credits adds the credit notes of an invoice to what its page shows. The page of the invoice is at path; a file has none.
func Credits(p *invoice.Props, all []billing.CreditNote, zone, path string) {
	in, err := time.LoadLocation(zone)
	if err != nil {
		in = time.UTC
	}
	for _, n := range all {
		file := ""
		if path != "" {
			file = invoice.CreditFile(path, string(n.ID))
		}
		p.Credits = append(p.Credits, invoice.Credit{
			File: file, Number: n.Number, Total: int64(n.Total), Net: int64(n.Net), Issued: n.IssuedAt.In(in), Reason: n.Reason,
			Refund: n.Refund, Refunded: !n.RefundedAt.IsZero(), Failed: !n.FailedAt.IsZero(),
			Test: n.RefundedBy == billing.PaidByTest,
		})
	}
}

// Line is one line, with its times in a zone.
func Line(l billing.Line, zone *time.Location) invoice.Line {
	v := invoice.Line{
		Kind: string(l.Kind), Late: string(l.Late), Plan: l.Plan, Model: l.Model, From: l.From.In(zone), To: l.To.In(zone),
		Net: int64(l.Net), Pool: l.Pool, Times: l.Times,
	}
	if m := l.Metered; m != nil {
		t, b := m.Tokens, m.Base
		v.Metered, v.Markup, v.Rate, v.RateDay = true, m.Markup, int64(m.Rate), m.RateDay
		v.Filled = m.Filled
		v.Tokens = [4]int64{t.Input, t.Output, t.CacheRead, t.CacheWrite}
		v.Base = [4]int64{b.Input, b.Output, b.CacheRead, b.CacheWrite}
	}
	return v
}

// PDF answers with an invoice, and the credit notes against it, as a file.
func PDF(c echo.Context, i billing.Invoice, credits []billing.CreditNote) error {
	var b bytes.Buffer
	p := Props(i)
	Credits(&p, credits, i.Terms.Zone, "")
	if err := invoice.PDF(web.Context(c), &b, p); err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set(echo.HeaderContentDisposition, `attachment; filename="invoice-`+i.Number+`.pdf"`)
	h.Set("Cache-Control", "no-store")
	return c.Blob(http.StatusOK, "application/pdf", b.Bytes())
}

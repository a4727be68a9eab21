package bill

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/billing"
	"gatehouse/app/billing/einvoice"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/views/i18n"
)

var errNoCredit = fault.New(fault.NotFound, "not-found", "no such credit note",
	"We could not find this. It may have been removed, or the link is incomplete.")

// XML answers with an invoice as an e-invoice, in the words of its page.
func XML(c echo.Context, i billing.Invoice) error {
	ctx, p := web.Context(c), Props(i)
	d := einvoice.Invoice(i, einvoice.Words{
		Terms: i18n.T(ctx, "billing.note_due", "day", i18n.Date(ctx, p.Due)),
		Line:  lineWords(ctx, p.Due.Location()),
	})
	return written(c, d, "invoice-"+i.Number)
}

// CreditXML answers with one of the credit notes against an invoice as an e-invoice.
func CreditXML(c echo.Context, i billing.Invoice, credits []billing.CreditNote, id string) error {
	n := slices.IndexFunc(credits, func(n billing.CreditNote) bool { return string(n.ID) == id })
	if n < 0 {
		return errNoCredit
	}
	ctx := web.Context(c)
	d := einvoice.CreditNote(i, credits[n], einvoice.Words{
		Terms: i18n.T(ctx, "billing.credit_terms", "number", i.Number),
		Note: func(n billing.CreditNote) (name, why string) {
			return i18n.T(ctx, "billing.credit_name", "number", i.Number), n.Reason
		},
	})
	return written(c, d, "credit-note-"+credits[n].Number)
}

// lineWords say what a line is for and how it came about, as the page does.
func lineWords(ctx context.Context, zone *time.Location) func(billing.Line) (name, detail string) {
	return func(l billing.Line) (name, detail string) {
		v := Line(l, zone)
		return v.Text(ctx), strings.Join(v.Details(ctx), "; ")
	}
}

func written(c echo.Context, d einvoice.Document, name string) error {
	b, err := einvoice.Write(d)
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set(echo.HeaderContentDisposition, `attachment; filename="`+name+`.xml"`)
	h.Set("Cache-Control", "no-store")
	return c.Blob(http.StatusOK, echo.MIMEApplicationXMLCharsetUTF8, b)
}

package invoice

import (
	"context"
	"fmt"
	"io"

	"github.com/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"

	"gatehouse/views/i18n"
)

// The sheet, in millimetres and points.
const (
	margin  = 18
	wide    = 174 // between the margins of A4
	amounts = 34  // column of amounts
	row     = 5
	small   = 8.5
	normal  = 10
	large   = 16
	font    = "go"
)

// PDF writes the invoice as PDF: A4, in the words of the page. The same invoice is the same bytes.
func PDF(ctx context.Context, w io.Writer, p Props) error {
	doc := fpdf.New("P", "mm", "A4", "")
	doc.AddUTF8FontFromBytes(font, "", goregular.TTF)
	doc.AddUTF8FontFromBytes(font, "B", gobold.TTF)
	doc.SetMargins(margin, margin, margin)
	doc.SetAutoPageBreak(true, margin)
	doc.SetTitle(i18n.T(ctx, "billing.invoice", "number", p.Number), true)
	doc.SetAuthor(p.Seller.Name, true)
	doc.SetCreationDate(p.Issued)
	doc.SetModificationDate(p.Issued)
	doc.SetCatalogSort(true)
	doc.SetFooterFunc(func() {
		doc.SetY(-margin + row)
		doc.SetFont(font, "", small)
		doc.CellFormat(0, row, fmt.Sprintf("%s · %d / {nb}", p.Number, doc.PageNo()), "", 0, "R", false, 0, "")
	})
	doc.AliasNbPages("")
	doc.AddPage()
	s := sheet{doc: doc, ctx: ctx}
	s.head(p)
	s.lines(p)
	if err := doc.Output(w); err != nil {
		return fmt.Errorf("invoice as PDF: %w", err)
	}
	return nil
}

// sheet writes the parts of an invoice.
type sheet struct {
	doc *fpdf.Fpdf
	ctx context.Context
}

func (s sheet) text(style string, size float64, text string) {
	s.doc.SetFont(font, style, size)
	s.doc.MultiCell(0, row, text, "", "L", false)
}

// head names the parties and the invoice.
func (s sheet) head(p Props) {
	ctx := s.ctx
	for i, line := range p.Seller.Lines(ctx) {
		s.text(map[bool]string{true: "B"}[i == 0], small, line)
	}
	s.doc.Ln(2 * row)
	for _, line := range p.Buyer.Lines(ctx) {
		s.text("", normal, line)
	}
	s.doc.Ln(2 * row)
	s.text("B", large, i18n.T(ctx, "billing.invoice", "number", p.Number))
	s.doc.Ln(row)
	period := i18n.T(ctx, "billing.line_from", "from", i18n.Date(ctx, p.From), "to", i18n.Date(ctx, lastDay(p.To)))
	for _, pair := range [][2]string{
		{i18n.T(ctx, "billing.issued"), i18n.Date(ctx, p.Issued)},
		{i18n.T(ctx, "billing.period"), period},
		{i18n.T(ctx, "billing.due"), i18n.Date(ctx, p.Due)},
	} {
		s.text("", normal, pair[0]+": "+pair[1])
	}
	s.doc.Ln(row)
}

// amount is a row of a text and an amount of cents.
func (s sheet) amount(style, border, text string, cents int64) {
	s.doc.SetFont(font, style, normal)
	s.doc.CellFormat(wide-amounts, row+1, text, border, 0, "L", false, 0, "")
	s.doc.CellFormat(amounts, row+1, i18n.Amount(s.ctx, cents)+" €", border, 1, "R", false, 0, "")
}

// lines are the lines, the sum and what is said below it.
func (s sheet) lines(p Props) {
	ctx := s.ctx
	for _, l := range p.Lines {
		s.amount("B", "T", l.Text(ctx), l.Net)
		for _, d := range l.Details(ctx) {
			s.text("", small, d)
		}
		s.doc.Ln(row / 2)
	}
	s.amount("", "T", i18n.T(ctx, "billing.net"), p.Net)
	s.amount("", "", p.TaxText(ctx), p.Tax)
	s.amount("B", "T", i18n.T(ctx, "billing.total"), p.Total)
	s.doc.Ln(row)
	for _, c := range p.Credits {
		s.text("", normal, c.Text(ctx))
	}
	for _, n := range p.Notes(ctx) {
		s.text("", small, n)
	}
}

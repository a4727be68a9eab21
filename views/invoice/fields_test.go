package invoice_test

import (
	"bytes"
	"compress/zlib"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/PuerkitoBio/goquery"

	"gatehouse/views/i18n"
	"gatehouse/views/invoice"
)

var (
	streams = regexp.MustCompile(`(?s)stream\r?\n(.*?)\r?\nendstream`)
	shown   = regexp.MustCompile(`(?s)\(((?:\\.|[^\\)])*)\) ?Tj`)
	escaped = regexp.MustCompile(`(?s)\\(.)`)
)

// pdfText is what a reader of a PDF sees, a piece each: what is shown in its streams, which are UTF-16.
func pdfText(t *testing.T, file []byte) string {
	t.Helper()
	var all []string
	for _, s := range streams.FindAllSubmatch(file, -1) {
		z, err := zlib.NewReader(bytes.NewReader(s[1]))
		if err != nil {
			continue // a stream that is not compressed: a font's map
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		for _, piece := range shown.FindAllSubmatch(text, -1) {
			raw := escaped.ReplaceAllFunc(piece[1], func(b []byte) []byte {
				if b[1] == 'r' {
					return []byte{'\r'}
				}
				return b[1:]
			})
			units := make([]uint16, len(raw)/2)
			for i := range units {
				units[i] = uint16(raw[2*i])<<8 | uint16(raw[2*i+1])
			}
			all = append(all, string(utf16.Decode(units)))
		}
	}
	return strings.Join(all, " ")
}

// TestFields: whatever the tax, page and PDF show all that § 14 and § 14a UStG and Article 226 of the VAT directive ask of an invoice:
// both parties with their addresses, the seller's tax number or VAT id, day, number, what was sold and when, net amount, rate, tax or
// why there is none, and total.
func TestFields(t *testing.T) {
	t.Parallel()
	always := []string{
		"Gatehouse", "Straße 1", "1010 Wien", "AT", "Bäckerei Müßig", "Hauptplatz 2", "2026-000001", "2 Apr 2026", "2 Mar 2026 to",
		"Plan Build",
		"Sum without tax", "Total in euros",
	}
	for name, c := range map[string]struct {
		change func(p *invoice.Props)
		want   []string
	}{
		"taxed": {
			func(*invoice.Props) {}, []string{"VAT id: ATU12345678", "47.35", "9.47", "56.82", "Tax, 20.00 %"},
		},
		"reverse": {
			func(p *invoice.Props) {
				p.Reverse, p.Tax, p.Total, p.TaxBasisPoints, p.Buyer.VATID, p.Buyer.Country = true, 0, p.Net, 0, "DE123456789", "DE"
			},
			[]string{"VAT id: ATU12345678", "VAT id: DE123456789", "47.35", "0.00", "Reverse charge: the recipient owes the tax."},
		},
		"exempt, with a tax number": {
			func(p *invoice.Props) {
				p.Exempt, p.Tax, p.Total, p.TaxBasisPoints, p.Seller.VATID, p.Seller.TaxNumber = true, 0, p.Net, 0, "", "12/345/67890"
			},
			[]string{"Tax number: 12/345/67890", "47.35", "0.00", "the seller is exempt from it in AT"},
		},
		"beyond the Union": {
			func(p *invoice.Props) {
				p.Outside, p.Tax, p.Total, p.TaxBasisPoints, p.Buyer.Country = true, 0, p.Net, 0, "CH"
			},
			[]string{"CH", "47.35", "0.00", "Not subject to value added tax in AT"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := sample(0)
			p.Buyer.Address = "Hauptplatz 2\n8010 Graz"
			p.Lines = []invoice.Line{{Kind: "plan", Plan: "Build", From: p.From, To: p.To, Net: p.Net, Pool: 15_000_000, Times: 1}}
			c.change(&p)
			ctx := i18n.With(t.Context(), i18n.English)
			var pdf, html bytes.Buffer
			if err := invoice.PDF(ctx, &pdf, p); err != nil {
				t.Fatal(err)
			}
			if err := invoice.Sheet(p).Render(ctx, &html); err != nil {
				t.Fatal(err)
			}
			page, err := goquery.NewDocumentFromReader(&html)
			if err != nil {
				t.Fatal(err)
			}
			for where, text := range map[string]string{"PDF": pdfText(t, pdf.Bytes()), "page": page.Text()} {
				text = strings.Join(strings.Fields(text), " ")
				for _, want := range append(c.want, always...) {
					if !strings.Contains(text, want) {
						t.Errorf("the %s lacks %q: %s", where, want, text)
					}
				}
			}
		})
	}
}

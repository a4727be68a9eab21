package invoice_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"

	"gatehouse/views/i18n"
	"gatehouse/views/invoice"
)

func sample(lines int) invoice.Props {
	at := time.Date(2026, 4, 2, 9, 0, 0, 0, time.UTC)
	p := invoice.Props{
		Number: "2026-000001", Issued: at, Due: at.AddDate(0, 0, 14), From: at.AddDate(0, -1, 0), To: at, State: "open",
		Seller: invoice.Party{Name: "Gatehouse", Address: "Straße 1\n1010 Wien", Country: "AT", VATID: "ATU12345678"},
		Buyer:  invoice.Party{Name: "Bäckerei Müßig", Country: "AT"}, Net: 47_35, Tax: 9_47, Total: 56_82, TaxBasisPoints: 2000,
	}
	for range lines {
		p.Lines = append(p.Lines, invoice.Line{
			Kind: "premium", Model: "large", From: p.From, To: p.To, Net: 1_37, Metered: true, Tokens: [4]int64{1, 2, 3, 4},
			Base: [4]int64{3_000_000, 15_000_000, 300_000, 3_750_000}, Markup: 10, Rate: 920_000, RateDay: "2026-04-01",
		})
	}
	return p
}

// TestPDF: the same invoice is the same bytes, and a long one goes on.
func TestPDF(t *testing.T) {
	t.Parallel()
	for lines, pages := range map[int]int{1: 1, 40: 6} {
		var one, two bytes.Buffer
		for _, b := range []*bytes.Buffer{&one, &two} {
			if err := invoice.PDF(i18n.With(t.Context(), i18n.German), b, sample(lines)); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.HasPrefix(one.Bytes(), []byte("%PDF-1.")) || !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("%d lines: no PDF, or another each time", lines)
		}
		if n := bytes.Count(one.Bytes(), []byte("/Type /Page\n")); n < 1 || (n > 1) != (pages > 1) {
			t.Errorf("%d lines: %d pages", lines, n)
		}
	}
}

// TestPDF_everySign: the fonts have each sign that our texts put on an invoice, in both languages, and those of names in Europe.
func TestPDF_everySign(t *testing.T) {
	t.Parallel()
	text := "€äöüßÄÖÜéèêçñøåæšžčřłąęőűășțÀÎÔ·−–’“”0123456789.,$%"
	for _, file := range []string{"../i18n/en/billing.json", "../i18n/de/billing.json", "../i18n/en/date.json", "../i18n/de/date.json"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var words map[string]any
		if err := json.Unmarshal(b, &words); err != nil {
			t.Fatal(err)
		}
		for key, word := range words {
			if s, ok := word.(string); ok && !strings.Contains(key, "job") {
				text += s
			}
		}
	}
	for name, ttf := range map[string][]byte{"regular": goregular.TTF, "bold": gobold.TTF} {
		font, err := sfnt.Parse(ttf)
		if err != nil {
			t.Fatal(err)
		}
		var b sfnt.Buffer
		for _, r := range text {
			if n, err := font.GlyphIndex(&b, r); r >= ' ' && (err != nil || n == 0) {
				t.Errorf("%s lacks %q", name, r)
			}
		}
	}
}

package billing

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"gatehouse/app/pricing"
)

// TestTaxed: the seller's country, other countries of the Union with and without a VAT id, and the rest of the world.
func TestTaxed(t *testing.T) {
	t.Parallel()
	rate := func(country, value string) pricing.Entry {
		return pricing.Entry{ID: country, Kind: pricing.KindTax, Name: country, Value: json.RawMessage(value)}
	}
	book := pricing.NewBook([]pricing.Entry{rate("AT", `{"basis_points": 2000}`), rate("DE", `{"basis_points": 1900}`)})
	for situation, c := range map[string]struct {
		seller, country, vat string
		rate                 int64
		reverse, held        bool
	}{
		"the same country":              {"AT", "AT", "ATU12345678", 2000, false, false},
		"a business elsewhere":          {"AT", "DE", "DE123456789", 0, true, false},
		"elsewhere without a VAT id":    {"AT", "DE", "", 1900, false, false},
		"elsewhere, and no such VAT id": {"AT", "DE", "DE12", 1900, false, false},
		"a VAT id of a third country":   {"AT", "DE", "FRXX123456789", 1900, false, false},
		"Greece writes EL":              {"AT", "GR", "EL123456789", 0, true, false},
		"a country without a rate":      {"AT", "FR", "", 0, false, true},
		"outside the Union":             {"AT", "US", "", 0, false, false},
		"a seller outside":              {"US", "DE", "", 0, false, false},
	} {
		got, reverse, err := taxed(book, Party{Country: c.seller}, Party{Country: c.country, VATID: c.vat}, time.Now())
		if got != c.rate || reverse != c.reverse || errors.Is(err, errHeld) != c.held || !c.held && err != nil {
			t.Errorf("%s: %d, %t, %v", situation, got, reverse, err)
		}
	}
}

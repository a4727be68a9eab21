package einvoice

import (
	"testing"

	"gatehouse/app/billing"
)

// TestAddress: postcode and place are split off where they are plain to see, and nothing is lost where they are not.
func TestAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]tradeAddress{
		"":                                {},
		"Straße 1\n1010 Wien":             {One: "Straße 1", Postcode: "1010", City: "Wien"},
		"Hof 2\r\n\r\nD-10115 Berlin\n":   {One: "Hof 2", Postcode: "10115", City: "Berlin"},
		"Plein 3\n1012 JS Amsterdam":      {One: "Plein 3", Postcode: "1012 JS", City: "Amsterdam"},
		"Ulice 4\n110 00 Praha 1":         {One: "Ulice 4", Postcode: "110 00", City: "Praha 1"},
		"10 Downing Street\nLondon":       {One: "10 Downing Street", Two: "London"},
		"a\nb\nc\nd\n8010 Graz":           {One: "a", Two: "b", Three: "c, d", Postcode: "8010", City: "Graz"},
		"1010 Wien":                       {Postcode: "1010", City: "Wien"},
		"1 Main Street\nSpringfield 0815": {One: "1 Main Street", Two: "Springfield 0815"},
	} {
		want.Country = "AT"
		if got := address(billing.Party{Address: text, Country: "AT"}); got != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

package billing

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"gatehouse/app/pricing"
)

// Seller is who issues invoices, as our staff have said it.
type Seller struct {
	Party
	DueDays int `json:"due_days"`
}

// TaxRule is the tax of a country, by its two letters.
type TaxRule struct {
	BasisPoints int64 `json:"basis_points"` // hundredths of a percent
}

// union are the countries of the European Union, with the form of their VAT ids after the two letters.
var union = map[string]*regexp.Regexp{}

func init() {
	for country, form := range map[string]string{
		"AT": `U\d{8}`, "BE": `[01]\d{9}`, "BG": `\d{9,10}`, "CY": `\d{8}[A-Z]`, "CZ": `\d{8,10}`, "DE": `\d{9}`, "DK": `\d{8}`,
		"EE": `\d{9}`, "ES": `[A-Z0-9]\d{7}[A-Z0-9]`, "FI": `\d{8}`, "FR": `[A-HJ-NP-Z0-9]{2}\d{9}`, "GR": `\d{9}`, "HR": `\d{11}`,
		"HU": `\d{8}`, "IE": `\d[A-Z0-9+*]\d{5}[A-Z]{1,2}`, "IT": `\d{11}`, "LT": `(\d{9}|\d{12})`, "LU": `\d{8}`, "LV": `\d{11}`,
		"MT": `\d{8}`, "NL": `\d{9}B\d{2}`, "PL": `\d{10}`, "PT": `\d{9}`, "RO": `\d{2,10}`, "SE": `\d{12}`, "SI": `\d{8}`, "SK": `\d{10}`,
	} {
		union[country] = regexp.MustCompile(`^` + form + `$`)
	}
}

// TaxCategory is why an invoice bears the tax it does, as codes of UNTDID 5305.
type TaxCategory string

// The categories that our rules lead to.
const (
	TaxStandard TaxCategory = "S"
	TaxReverse  TaxCategory = "AE" // the buyer owes it
	TaxExempt   TaxCategory = "E"  // the rate of the country is zero: its seller is exempt
	TaxOutside  TaxCategory = "O"  // not subject to tax: sold out of the seller's country and beyond the Union
)

// Category says why the tax of these terms is what it is.
func (t Terms) Category() TaxCategory {
	switch {
	case t.Reverse:
		return TaxReverse
	case t.TaxRate > 0:
		return TaxStandard
	case t.Buyer.Country != t.Seller.Country && (union[t.Buyer.Country] == nil || union[t.Seller.Country] == nil):
		return TaxOutside
	}
	return TaxExempt
}

// CheckVATID says whether an id has the form of its country's; whether somebody has it, only the tax office knows.
func CheckVATID(country, id string) bool {
	form, prefix := union[country], country
	if country == "GR" {
		prefix = "EL" // as Greece writes it
	}
	return form != nil && len(id) > 2 && id[:2] == prefix && form.MatchString(id[2:])
}

// errHeld says why an invoice cannot be issued yet.
var errHeld = errors.New("held")

// taxed says which tax an invoice from seller to buyer bears.
//
// Inside one country it is that country's. A business elsewhere in the Union that has a VAT id owes the tax itself; one without bears
// the tax of its own country. Outside of the Union there is none.
func taxed(book pricing.Book, seller, buyer Party, at time.Time) (basisPoints int64, reverse bool, err error) {
	switch {
	case buyer.Country != seller.Country && union[buyer.Country] == nil:
		return 0, false, nil
	case buyer.Country != seller.Country && union[seller.Country] != nil && CheckVATID(buyer.Country, buyer.VATID):
		return 0, true, nil
	case buyer.Country != seller.Country && union[seller.Country] == nil:
		return 0, false, nil
	}
	var rule TaxRule
	_, err = book.Read(pricing.KindTax, buyer.Country, at, &rule)
	if errors.Is(err, pricing.ErrNoPrice) {
		return 0, false, fmt.Errorf("%w: no tax rate of %s is kept", errHeld, buyer.Country)
	}
	return rule.BasisPoints, false, err
}

package einvoice

import (
	"errors"
	"fmt"
	"strings"

	"gatehouse/app/billing"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
)

// ErrIncomplete says that an invoice lacks what the standard asks of an electronic one.
var ErrIncomplete = fault.New(fault.Conflict, "einvoice-incomplete", "invoice lacks what an electronic one needs",
	"This invoice cannot be written as an e-invoice: something that the standard asks for was not known when it was issued, such as "+
		"the VAT id of the seller. The PDF holds.")

// check says which rules of EN 16931 a document breaks. Rules that no document of ours can break are not looked at: the schema and
// the writer see to them.
func check(d Document) error {
	var errs []error
	must := func(rule string, holds bool, format string, args ...any) {
		if !holds {
			errs = append(errs, fmt.Errorf("%s: "+format, append([]any{rule}, args...)...))
		}
	}
	must("BR-02", d.Number != "", "no number")
	must("BR-06", d.Seller.Name != "", "no seller")
	must("BR-07", d.Buyer.Name != "", "no buyer")
	must("BR-09", len(d.Seller.Country) == 2, "country of the seller: %q", d.Seller.Country)
	must("BR-11", len(d.Buyer.Country) == 2, "country of the buyer: %q", d.Buyer.Country)
	must("BR-16", len(d.Lines) > 0, "no line")
	must("BR-CO-26", d.Seller.VATID != "" || d.Seller.TaxNumber != "", "nothing that the seller is known by")
	must("BR-CO-25", d.Total <= 0 || !d.Due.IsZero() || d.Terms != "", "neither a day nor terms of payment")
	must("BR-55", d.Against == (Against{}) || d.Against.Number != "", "a credit note against nothing")
	var sum pricing.Cents
	for n, l := range d.Lines {
		must("BR-25", l.Name != "", "line %d has no name", n+1)
		must("BR-30", !l.To.Before(l.From), "line %d ends before it begins", n+1)
		sum += l.Net
	}
	must("BR-CO-10", sum == d.Net, "lines come to %d, not %d", sum, d.Net)
	must("BR-CO-15", d.Net+d.Tax == d.Total, "%d and %d of tax are not %d", d.Net, d.Tax, d.Total)
	return errors.Join(append(errs, checkTax(d))...)
}

// checkTax says which rules of its tax category a document breaks.
func checkTax(d Document) error {
	var errs []error
	if d.Category != billing.TaxStandard && (d.TaxRate != 0 || d.Tax != 0) {
		errs = append(errs, fmt.Errorf("BR-%s-9: tax of %d, rate %d", d.Category, d.Tax, d.TaxRate))
	}
	if d.Category == billing.TaxReverse && d.Buyer.VATID == "" {
		errs = append(errs, errors.New("BR-AE-2: the buyer owes the tax and has no VAT id"))
	}
	if d.Category == billing.TaxStandard && !rounded(d) {
		errs = append(errs, fmt.Errorf("BR-CO-17: %d is not the tax on %d at %d", d.Tax, d.Net, d.TaxRate))
	}
	return errors.Join(errs...)
}

// rounded says whether the tax is that on the net amount. The last credit note against an invoice takes what rounding has left over, a
// cent for each one before: the standard lets the tax differ by less than one euro.
func rounded(d Document) bool {
	const exact = 10_000 // a cent, times hundredths of a percent
	off := int64(d.Tax)*exact - int64(d.Net)*d.TaxRate
	limit := int64(exact / 2)
	if d.Against.Number != "" {
		limit = 99 * exact
	}
	return -limit <= off && off <= limit
}

// vatID says whether the seller's id can stand as a VAT id: it begins with its country (BR-CO-9). Ids from elsewhere may not.
func vatID(p billing.Party) bool {
	prefix := p.Country
	if prefix == "GR" {
		prefix = "EL"
	}
	return strings.HasPrefix(p.VATID, prefix)
}

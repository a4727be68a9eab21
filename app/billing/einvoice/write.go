package einvoice

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"gatehouse/app/billing"
	"gatehouse/app/pricing"
)

// Guideline is the standard that documents follow: EN 16931 itself, without a national extension.
const Guideline = "urn:cen.eu:en16931:2017"

// Codes of the lists that the standard refers to.
const (
	typeInvoice    = "380" // UNTDID 1001
	typeCreditNote = "381"
	meansUndefined = "1"   // UNTDID 4461: what is on file at the payment provider
	meansTransfer  = "58"  // SEPA credit transfer
	unitOne        = "C62" // UN/ECE Recommendation 20
	dayFormat      = "102" // UNTDID 2379: CCYYMMDD
)

// exemptions say why a category bears no tax, in words and as a code of the VATEX list.
var exemptions = map[billing.TaxCategory]struct{ text, code string }{
	billing.TaxReverse: {"Reverse charge", "VATEX-EU-AE"},
	billing.TaxOutside: {"Not subject to VAT", "VATEX-EU-O"},
	billing.TaxExempt:  {"Exempt from VAT", ""},
}

// Write writes a document as XML. The same document is the same bytes. What breaks a rule of the standard is ErrIncomplete.
func Write(d Document) ([]byte, error) {
	if err := check(d); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrIncomplete, err)
	}
	const space = "urn:un:unece:uncefact:data:standard:"
	v := invoiceXML{
		RSM: space + "CrossIndustryInvoice:100", RAM: space + "ReusableAggregateBusinessInformationEntity:100",
		QDT: space + "QualifiedDataType:100", UDT: space + "UnqualifiedDataType:100", Guideline: Guideline,
		Document: exchangedDocument{Number: d.Number, Type: typeInvoice, Issued: dateTime{dayOf(d.Issued)}},
		Trade:    trade{Seller: seller(d), Buyer: buyer(d), Settlement: settled(d)},
	}
	if d.Against.Number != "" {
		v.Document.Type = typeCreditNote
	}
	for n, l := range d.Lines {
		v.Trade.Lines = append(v.Trade.Lines, item(n+1, l, d))
	}
	b, err := xml.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write e-invoice: %w", err)
	}
	return append([]byte(xml.Header), append(b, '\n')...), nil
}

// item is a line. A price is never below nothing (BR-27): what is taken back is a quantity of minus one.
func item(n int, l Line, d Document) lineItem {
	i := lineItem{
		ID: n, Name: l.Name, Detail: l.Detail, Price: amount(max(l.Net, -l.Net)), Quantity: quantity{unitOne, 1},
		Tax: taxOf(d), Net: amount(l.Net),
	}
	if l.Net < 0 {
		i.Quantity.N = -1
	}
	if !l.From.IsZero() {
		i.Period = between(l.From, l.To)
	}
	return i
}

// taxOf is the tax of each line: a document has one category.
func taxOf(d Document) tradeTax {
	t := tradeTax{Type: "VAT", Category: string(d.Category), Rate: fmt.Sprintf("%d.%02d", d.TaxRate/100, d.TaxRate%100)}
	if d.Category == billing.TaxOutside {
		t.Rate = "" // BR-O-5
	}
	return t
}

func seller(d Document) tradeParty {
	p := party(d.Seller)
	switch {
	case d.Category == billing.TaxOutside: // BR-O-2: a VAT id must not stand there, and something must that the seller is known by
		p.ID = cmp.Or(d.Seller.VATID, d.Seller.TaxNumber)
	case vatID(d.Seller):
		p.Tax = &schemed{"VA", d.Seller.VATID}
	default:
		id := cmp.Or(d.Seller.VATID, d.Seller.TaxNumber)
		p.ID, p.Tax = id, &schemed{"FC", id}
	}
	return p
}

func buyer(d Document) tradeParty {
	p := party(d.Buyer)
	if d.Buyer.VATID != "" && d.Category != billing.TaxOutside {
		p.Tax = &schemed{"VA", d.Buyer.VATID}
	}
	return p
}

func party(p billing.Party) tradeParty {
	v := tradeParty{Name: p.Name, Address: address(p)}
	if p.Email != "" {
		v.Email = &schemed{"EM", p.Email}
	}
	return v
}

// settled is how a document is paid, its tax and its sums.
func settled(d Document) settlement {
	s := settlement{
		Reference: d.Number, Currency: d.Currency, Means: means{Type: meansUndefined}, Tax: taxOf(d), Period: *between(d.From, d.To),
		Terms: terms{Text: d.Terms},
		Sums: sums{
			Lines: amount(d.Net), Net: amount(d.Net), Tax: currency{d.Currency, amount(d.Tax)}, Total: amount(d.Total),
			Payable: amount(d.Total),
		},
	}
	why := exemptions[d.Category]
	s.Tax.Amount, s.Tax.Basis, s.Tax.Reason, s.Tax.ReasonCode = amount(d.Tax), amount(d.Net), why.text, why.code
	if !d.Due.IsZero() {
		s.Terms.Due = &dateTime{dayOf(d.Due)}
	}
	switch iban := strings.Join(strings.Fields(d.Seller.IBAN), ""); {
	case d.Against.Number != "": // money goes back as it came: there is no account to pay to
		s.Against = &referenced{d.Against.Number, qualified{dayOf(d.Against.Issued)}}
	case iban != "":
		s.Means = means{Type: meansTransfer, IBAN: &iban}
	}
	return s
}

func between(from, to time.Time) *period {
	return &period{From: dateTime{dayOf(from)}, To: dateTime{dayOf(to)}}
}

func dayOf(t time.Time) day { return day{dayFormat, t.Format("20060102")} }

// amount writes cents with two decimals.
func amount(c pricing.Cents) string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	return fmt.Sprintf("%s%d.%02d", sign, c/100, c%100)
}

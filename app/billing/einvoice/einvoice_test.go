package einvoice_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jacoelho/xsd"
	"pgregory.net/rapid"

	"gatehouse/app/billing"
	"gatehouse/app/billing/einvoice"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
)

// schemaSum pins testdata/cii-d16b.zip.
const schemaSum = "c6d76232b56d5e939e983c8ce8e28bbf28d1e738cdcae60094784ed159a50a7a"

// schema is the published schema of the Cross Industry Invoice. Reading it takes seconds, so it is read once.
var schema = sync.OnceValues(func() (*xsd.Schema, error) {
	b, err := os.ReadFile("testdata/cii-d16b.zip")
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != schemaSum {
		return nil, os.ErrInvalid
	}
	files, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	return xsd.LoadWithOptions(files, "data/standard/CrossIndustryInvoice_100pD16B.xsd", xsd.NewLoadOptions())
})

// against says what the schema finds wrong about a document.
func against(t *testing.T, doc []byte) error {
	t.Helper()
	s, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(bytes.NewReader(doc))
}

// words are those of a reader of English, in short.
func words(terms string) einvoice.Words {
	return einvoice.Words{
		Terms: terms,
		Line:  func(l billing.Line) (string, string) { return string(l.Kind) + " <" + l.Model + l.Plan + ">", "1 & 2" },
		Note:  func(n billing.CreditNote) (string, string) { return "Credit note", n.Reason },
	}
}

// issued is an invoice of a seller in Vienna to a bakery in Berlin with no VAT id, over three lines of which one takes back.
func issued() billing.Invoice {
	at := time.Date(2026, 4, 2, 22, 30, 0, 0, time.UTC) // the next day in Vienna
	from, to := at.AddDate(0, -1, 0), at
	return billing.Invoice{
		Number: "2026-000001", From: from, To: to, IssuedAt: at, DueAt: at.AddDate(0, 0, 14), Currency: "EUR", State: billing.Open,
		Net: 46_00, Tax: 9_20, Total: 55_20,
		Lines: []billing.Line{
			{Kind: billing.LinePlan, Plan: "Build", From: from, To: to, Net: 45_00},
			{Kind: billing.LinePremium, Model: "large", From: from, To: to, Net: 1_37},
			{Kind: billing.LineLate, Model: "small", From: from.AddDate(0, -1, 0), To: from, Net: -37},
		},
		Terms: billing.Terms{
			Seller: billing.Party{
				Name: "Gatehouse Ltd", Address: "Straße 1\n1010 Wien", Country: "AT", VATID: "ATU12345678",
				Email: "bills@gatehouse.example", IBAN: "AT61 1904 3002 3457 3201",
			},
			Buyer: billing.Party{
				Name: "Bäckerei <Müßig> & Co", Address: "Hof 2\nD-10115 Berlin", Country: "DE", Email: "owner@bakery.example",
			},
			TaxRate: 2000, Zone: "Europe/Vienna",
		},
	}
}

// credited is a credit note against it.
func credited() billing.CreditNote {
	return billing.CreditNote{
		Number: "C2026-000001", Net: 10_00, Tax: 2_00, Total: 12_00, Reason: "A day without service.",
		IssuedAt: time.Date(2026, 4, 20, 9, 0, 0, 0, time.UTC),
	}
}

// untaxed changes an invoice to one without tax.
func untaxed(i billing.Invoice, of func(*billing.Terms)) billing.Invoice {
	i.Tax, i.Total, i.Terms.TaxRate = 0, i.Net, 0
	of(&i.Terms)
	return i
}

// situations are the documents that our tax rules lead to.
func situations() map[string]einvoice.Document {
	base := issued()
	elsewhere := untaxed(base, func(t *billing.Terms) { t.Reverse, t.Buyer.VATID = true, "DE123456789" })
	outside := untaxed(base, func(t *billing.Terms) { t.Buyer.Country, t.Buyer.VATID = "CH", "CHE123" })
	exempt := untaxed(base, func(t *billing.Terms) { t.Buyer.Country = "AT" })
	foreign := untaxed(base, func(t *billing.Terms) { t.Seller.Country, t.Seller.VATID, t.Seller.IBAN = "US", "12-345", "" })
	bare := base
	bare.Terms.Buyer = billing.Party{Name: "Somebody", Country: "DE"}
	note := einvoice.CreditNote(elsewhere, billing.CreditNote{
		Number: "C2026-000002", Net: 46_00, Total: 46_00, Reason: "All of it.", IssuedAt: base.DueAt,
	}, words("It goes back."))
	return map[string]einvoice.Document{
		"taxed":         einvoice.Invoice(base, words("Until then.")),
		"little known":  einvoice.Invoice(bare, words("")),
		"reverse":       einvoice.Invoice(elsewhere, words("Until then.")),
		"outside":       einvoice.Invoice(outside, words("Until then.")),
		"exempt":        einvoice.Invoice(exempt, words("Until then.")),
		"from overseas": einvoice.Invoice(foreign, words("Until then.")),
		"credit note":   einvoice.CreditNote(base, credited(), words("It goes back.")),
		"all of it":     note,
	}
}

// TestWrite_schema: each document is one by the published schema, and the same one is the same bytes.
func TestWrite_schema(t *testing.T) {
	t.Parallel()
	for name, d := range situations() {
		b, err := einvoice.Write(d)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again, _ := einvoice.Write(d); !bytes.Equal(b, again) {
			t.Errorf("%s: other bytes", name)
		}
		if err := against(t, b); err != nil {
			t.Errorf("%s: %v\n%s", name, err, b)
		}
	}
}

// TestSchema: what is no invoice is found: an element out of its order, one that nobody knows, a code of no list.
func TestSchema(t *testing.T) {
	t.Parallel()
	good, err := einvoice.Write(situations()["taxed"])
	if err != nil {
		t.Fatal(err)
	}
	for old, bad := range map[string]string{
		"<ram:TypeCode>380</ram:TypeCode>":          "<ram:TypeCode>999999</ram:TypeCode>",
		"<ram:Name>Gatehouse Ltd</ram:Name>":        "<ram:Nickname>Gatehouse Ltd</ram:Nickname>",
		"<ram:CityName>Wien</ram:CityName>":         "<ram:CityName>Wien</ram:CityName><ram:PostcodeCode>1010</ram:PostcodeCode>",
		"<udt:DateTimeString format=\"102\">":       "<udt:DateTimeString form=\"102\">",
		"<ram:CategoryCode>S</ram:CategoryCode>":    "<ram:CategoryCode>none such</ram:CategoryCode>",
		"<ram:GrandTotalAmount>55.20</ram:GrandTot": "<ram:GrandTotalAmount>55,20</ram:GrandTot",
	} {
		doc := strings.Replace(string(good), old, bad, 1)
		if doc == string(good) {
			t.Errorf("%s is not there", old)
		}
		if err := against(t, []byte(doc)); err == nil {
			t.Errorf("%s: the schema takes it", bad)
		}
	}
}

// node is an element of a document as somebody else reads it.
type node struct {
	XMLName xml.Name
	Attr    []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Kids    []node     `xml:",any"`
}

func read(t interface{ Fatal(...any) }, d einvoice.Document) node {
	b, err := einvoice.Write(d)
	if err != nil {
		t.Fatal(err)
	}
	var n node
	if err := xml.Unmarshal(b, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// all finds what lies at a path of names.
func (n node) all(path string) []node {
	name, rest, more := strings.Cut(path, "/")
	var found []node
	for _, k := range n.Kids {
		if k.XMLName.Local == name {
			if more {
				found = append(found, k.all(rest)...)
			} else {
				found = append(found, k)
			}
		}
	}
	return found
}

// text is what stands at a path; empty when nothing does.
func (n node) text(path string) string {
	for _, k := range n.all(path) {
		return strings.TrimSpace(k.Text)
	}
	return ""
}

const (
	deal    = "SupplyChainTradeTransaction/"
	agreed  = deal + "ApplicableHeaderTradeAgreement/"
	settled = deal + "ApplicableHeaderTradeSettlement/"
	sums    = settled + "SpecifiedTradeSettlementHeaderMonetarySummation/"
)

// TestWrite_says: what a reader finds: number, kind, days in the customer's zone, parties, tax, payment and lines.
func TestWrite_says(t *testing.T) {
	t.Parallel()
	for situation, want := range map[string]map[string]string{
		"taxed": {
			"ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID": "urn:cen.eu:en16931:2017",
			"ExchangedDocument/ID": "2026-000001", "ExchangedDocument/TypeCode": "380",
			"ExchangedDocument/IssueDateTime/DateTimeString":                      "20260403",
			agreed + "SellerTradeParty/SpecifiedTaxRegistration/ID":               "ATU12345678",
			agreed + "SellerTradeParty/PostalTradeAddress/PostcodeCode":           "1010",
			agreed + "SellerTradeParty/URIUniversalCommunication/URIID":           "bills@gatehouse.example",
			agreed + "BuyerTradeParty/Name":                                       "Bäckerei <Müßig> & Co",
			agreed + "BuyerTradeParty/PostalTradeAddress/CityName":                "Berlin",
			agreed + "BuyerTradeParty/PostalTradeAddress/LineOne":                 "Hof 2",
			settled + "SpecifiedTradeSettlementPaymentMeans/TypeCode":             "58",
			settled + "BillingSpecifiedPeriod/StartDateTime/DateTimeString":       "20260302",
			settled + "BillingSpecifiedPeriod/EndDateTime/DateTimeString":         "20260403",
			settled + "SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString": "20260417",
			settled + "SpecifiedTradePaymentTerms/Description":                    "Until then.",
			settled + "ApplicableTradeTax/CategoryCode":                           "S",
			settled + "ApplicableTradeTax/RateApplicablePercent":                  "20.00",
			settled + "ApplicableTradeTax/ExemptionReason":                        "",
			sums + "DuePayableAmount":                                             "55.20",
			settled + "InvoiceReferencedDocument/IssuerAssignedID":                "",
		},
		"reverse": {
			agreed + "BuyerTradeParty/SpecifiedTaxRegistration/ID": "DE123456789",
			settled + "ApplicableTradeTax/CategoryCode":            "AE",
			settled + "ApplicableTradeTax/ExemptionReasonCode":     "VATEX-EU-AE",
			settled + "ApplicableTradeTax/RateApplicablePercent":   "0.00",
			settled + "ApplicableTradeTax/CalculatedAmount":        "0.00",
		},
		"outside": {
			agreed + "SellerTradeParty/SpecifiedTaxRegistration/ID": "",
			agreed + "SellerTradeParty/ID":                          "ATU12345678",
			agreed + "BuyerTradeParty/SpecifiedTaxRegistration/ID":  "",
			settled + "ApplicableTradeTax/CategoryCode":             "O",
			settled + "ApplicableTradeTax/RateApplicablePercent":    "",
		},
		"exempt": {
			settled + "ApplicableTradeTax/CategoryCode":    "E",
			settled + "ApplicableTradeTax/ExemptionReason": "Exempt from VAT",
		},
		"from overseas": {settled + "SpecifiedTradeSettlementPaymentMeans/TypeCode": "1"},
		"credit note": {
			"ExchangedDocument/TypeCode":                                                "381",
			settled + "InvoiceReferencedDocument/IssuerAssignedID":                      "2026-000001",
			settled + "InvoiceReferencedDocument/FormattedIssueDateTime/DateTimeString": "20260403",
			deal + "IncludedSupplyChainTradeLineItem/SpecifiedTradeProduct/Description": "A day without service.",
			settled + "SpecifiedTradeSettlementPaymentMeans/TypeCode":                   "1",
			sums + "GrandTotalAmount":                                                   "12.00",
		},
	} {
		doc := read(t, situations()[situation])
		for path, text := range want {
			if got := doc.text(path); got != text {
				t.Errorf("%s: %s is %q, not %q", situation, path, got, text)
			}
		}
	}
}

// cents reads an amount.
func cents(t interface{ Fatal(...any) }, text string) (n int64) {
	whole, part, ok := strings.Cut(text, ".")
	if !ok || len(part) != 2 {
		t.Fatal("no amount of two decimals: " + text)
	}
	for _, c := range strings.TrimPrefix(whole, "-") + part {
		n = n*10 + int64(c-'0')
	}
	if strings.HasPrefix(whole, "-") {
		n = -n
	}
	return n
}

// TestWrite_sums: whatever the lines and the rate, what a reader adds up is to the cent what the invoice says: quantity times price is
// the line, the lines are the sum, the tax is that of the breakdown, and both are the total.
func TestWrite_sums(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		i := issued()
		i.Lines, i.Net, i.Terms.TaxRate = i.Lines[:1], 0, rapid.Int64Range(1, 10_000).Draw(t, "rate")
		i.Lines[0].Net = pricing.Cents(rapid.Int64Range(50_000, 1e9).Draw(t, "plan"))
		for _, n := range rapid.SliceOfN(rapid.Int64Range(-1_000, 1e9), 0, 20).Draw(t, "lines") {
			i.Lines = append(i.Lines, billing.Line{Kind: billing.LineLate, Net: pricing.Cents(n)})
		}
		for _, l := range i.Lines {
			i.Net += l.Net
		}
		var err error
		if i.Tax, err = pricing.Tax(i.Net, i.Terms.TaxRate); err != nil {
			t.Fatal(err)
		}
		i.Total = i.Net + i.Tax
		doc := read(t, einvoice.Invoice(i, words("")))
		var sum int64
		for _, l := range doc.all(deal + "IncludedSupplyChainTradeLineItem") {
			net := cents(t, l.text("SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount"))
			price := cents(t, l.text("SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount"))
			if q := l.text("SpecifiedLineTradeDelivery/BilledQuantity"); price < 0 || q != "1" && q != "-1" || (q == "-1") != (net < 0) {
				t.Fatalf("%s times %d is %d", q, price, net)
			}
			sum += net
		}
		for path, want := range map[string]int64{
			sums + "LineTotalAmount": sum, sums + "TaxBasisTotalAmount": sum, settled + "ApplicableTradeTax/BasisAmount": sum,
			sums + "TaxTotalAmount": int64(i.Tax), settled + "ApplicableTradeTax/CalculatedAmount": int64(i.Tax),
			sums + "GrandTotalAmount": sum + int64(i.Tax), sums + "DuePayableAmount": int64(i.Total),
		} {
			if got := cents(t, doc.text(path)); got != want {
				t.Fatalf("%s is %d, not %d", path, got, want)
			}
		}
	})
}

// TestWrite_refused: what breaks a rule of the standard is not written, and the log says which.
func TestWrite_refused(t *testing.T) {
	t.Parallel()
	for rule, spoil := range map[string]func(*einvoice.Document){
		"BR-02":    func(d *einvoice.Document) { d.Number = "" },
		"BR-06":    func(d *einvoice.Document) { d.Seller.Name = "" },
		"BR-07":    func(d *einvoice.Document) { d.Buyer.Name = "" },
		"BR-09":    func(d *einvoice.Document) { d.Seller.Country = "" },
		"BR-11":    func(d *einvoice.Document) { d.Buyer.Country = "Austria" },
		"BR-16":    func(d *einvoice.Document) { d.Lines = nil },
		"BR-25":    func(d *einvoice.Document) { d.Lines[0].Name = "" },
		"BR-30":    func(d *einvoice.Document) { d.Lines[0].To = d.Lines[0].From.AddDate(0, 0, -1) },
		"BR-55":    func(d *einvoice.Document) { d.Against.Issued = d.Issued },
		"BR-CO-10": func(d *einvoice.Document) { d.Lines[0].Net++ },
		"BR-CO-15": func(d *einvoice.Document) { d.Total++ },
		"BR-CO-17": func(d *einvoice.Document) { d.Tax, d.Total = d.Tax+1, d.Total+1 },
		"BR-CO-25": func(d *einvoice.Document) { d.Due, d.Terms = time.Time{}, "" },
		"BR-CO-26": func(d *einvoice.Document) { d.Seller.VATID = "" },
		"BR-AE-2":  func(d *einvoice.Document) { d.Category, d.TaxRate, d.Tax, d.Total = billing.TaxReverse, 0, 0, d.Net },
		"BR-E-9":   func(d *einvoice.Document) { d.Category = billing.TaxExempt },
	} {
		d := situations()["taxed"]
		spoil(&d)
		_, err := einvoice.Write(d)
		if err == nil || !strings.Contains(err.Error(), rule+":") || fault.Of(err).Code != "einvoice-incomplete" {
			t.Errorf("%s: %v", rule, err)
		}
	}
}

// TestWrite_lastCredit: the last of several credit notes takes the cents that rounding has left; the standard lets it.
func TestWrite_lastCredit(t *testing.T) {
	t.Parallel()
	n := credited()
	n.Tax, n.Total = 2_03, 12_03
	if _, err := einvoice.Write(einvoice.CreditNote(issued(), n, words("It goes back."))); err != nil {
		t.Error(err)
	}
}

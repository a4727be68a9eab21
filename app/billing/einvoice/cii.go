package einvoice

import "encoding/xml"

// The elements of a Cross Industry Invoice that we write, in the order of its schema.

type invoiceXML struct {
	XMLName   xml.Name          `xml:"rsm:CrossIndustryInvoice"`
	RSM       string            `xml:"xmlns:rsm,attr"`
	RAM       string            `xml:"xmlns:ram,attr"`
	QDT       string            `xml:"xmlns:qdt,attr"`
	UDT       string            `xml:"xmlns:udt,attr"`
	Guideline string            `xml:"rsm:ExchangedDocumentContext>ram:GuidelineSpecifiedDocumentContextParameter>ram:ID"`
	Document  exchangedDocument `xml:"rsm:ExchangedDocument"`
	Trade     trade             `xml:"rsm:SupplyChainTradeTransaction"`
}

type exchangedDocument struct {
	Number string   `xml:"ram:ID"`
	Type   string   `xml:"ram:TypeCode"`
	Issued dateTime `xml:"ram:IssueDateTime"`
}

// dateTime is a day.
type dateTime struct {
	Day day `xml:"udt:DateTimeString"`
}

// qualified is a day in the one place where the schema wants another namespace.
type qualified struct {
	Day day `xml:"qdt:DateTimeString"`
}

type day struct {
	Format string `xml:"format,attr"`
	Text   string `xml:",chardata"`
}

type trade struct {
	Lines      []lineItem `xml:"ram:IncludedSupplyChainTradeLineItem"`
	Seller     tradeParty `xml:"ram:ApplicableHeaderTradeAgreement>ram:SellerTradeParty"`
	Buyer      tradeParty `xml:"ram:ApplicableHeaderTradeAgreement>ram:BuyerTradeParty"`
	Delivery   struct{}   `xml:"ram:ApplicableHeaderTradeDelivery"`
	Settlement settlement `xml:"ram:ApplicableHeaderTradeSettlement"`
}

type lineItem struct {
	ID       int      `xml:"ram:AssociatedDocumentLineDocument>ram:LineID"`
	Name     string   `xml:"ram:SpecifiedTradeProduct>ram:Name"`
	Detail   string   `xml:"ram:SpecifiedTradeProduct>ram:Description,omitempty"`
	Price    string   `xml:"ram:SpecifiedLineTradeAgreement>ram:NetPriceProductTradePrice>ram:ChargeAmount"`
	Quantity quantity `xml:"ram:SpecifiedLineTradeDelivery>ram:BilledQuantity"`
	Tax      tradeTax `xml:"ram:SpecifiedLineTradeSettlement>ram:ApplicableTradeTax"`
	Period   *period  `xml:"ram:SpecifiedLineTradeSettlement>ram:BillingSpecifiedPeriod"`
	Net      string   `xml:"ram:SpecifiedLineTradeSettlement>ram:SpecifiedTradeSettlementLineMonetarySummation>ram:LineTotalAmount"`
}

type quantity struct {
	Unit string `xml:"unitCode,attr"`
	N    int    `xml:",chardata"`
}

// tradeTax is the tax of a line or, with amounts, the breakdown of all.
type tradeTax struct {
	Amount     string `xml:"ram:CalculatedAmount,omitempty"`
	Type       string `xml:"ram:TypeCode"`
	Reason     string `xml:"ram:ExemptionReason,omitempty"`
	Basis      string `xml:"ram:BasisAmount,omitempty"`
	Category   string `xml:"ram:CategoryCode"`
	ReasonCode string `xml:"ram:ExemptionReasonCode,omitempty"`
	Rate       string `xml:"ram:RateApplicablePercent,omitempty"`
}

type period struct {
	From dateTime `xml:"ram:StartDateTime"`
	To   dateTime `xml:"ram:EndDateTime"`
}

type tradeParty struct {
	ID      string       `xml:"ram:ID,omitempty"`
	Name    string       `xml:"ram:Name"`
	Address tradeAddress `xml:"ram:PostalTradeAddress"`
	Email   *schemed     `xml:"ram:URIUniversalCommunication>ram:URIID"`
	Tax     *schemed     `xml:"ram:SpecifiedTaxRegistration>ram:ID"`
}

// schemed is an id with the list that it is of.
type schemed struct {
	Scheme string `xml:"schemeID,attr"`
	ID     string `xml:",chardata"`
}

type tradeAddress struct {
	Postcode string `xml:"ram:PostcodeCode,omitempty"`
	One      string `xml:"ram:LineOne,omitempty"`
	Two      string `xml:"ram:LineTwo,omitempty"`
	Three    string `xml:"ram:LineThree,omitempty"`
	City     string `xml:"ram:CityName,omitempty"`
	Country  string `xml:"ram:CountryID"`
}

type settlement struct {
	Reference string      `xml:"ram:PaymentReference"`
	Currency  string      `xml:"ram:InvoiceCurrencyCode"`
	Means     means       `xml:"ram:SpecifiedTradeSettlementPaymentMeans"`
	Tax       tradeTax    `xml:"ram:ApplicableTradeTax"`
	Period    period      `xml:"ram:BillingSpecifiedPeriod"`
	Terms     terms       `xml:"ram:SpecifiedTradePaymentTerms"`
	Sums      sums        `xml:"ram:SpecifiedTradeSettlementHeaderMonetarySummation"`
	Against   *referenced `xml:"ram:InvoiceReferencedDocument"`
}

type means struct {
	Type string  `xml:"ram:TypeCode"`
	IBAN *string `xml:"ram:PayeePartyCreditorFinancialAccount>ram:IBANID"`
}

type terms struct {
	Text string    `xml:"ram:Description,omitempty"`
	Due  *dateTime `xml:"ram:DueDateDateTime"`
}

type sums struct {
	Lines   string   `xml:"ram:LineTotalAmount"`
	Net     string   `xml:"ram:TaxBasisTotalAmount"`
	Tax     currency `xml:"ram:TaxTotalAmount"`
	Total   string   `xml:"ram:GrandTotalAmount"`
	Payable string   `xml:"ram:DuePayableAmount"`
}

type currency struct {
	ID     string `xml:"currencyID,attr"`
	Amount string `xml:",chardata"`
}

type referenced struct {
	Number string    `xml:"ram:IssuerAssignedID"`
	Issued qualified `xml:"ram:FormattedIssueDateTime"`
}

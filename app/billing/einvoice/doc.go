// Package einvoice writes invoices and credit notes as electronic invoices: EN 16931 in the syntax of UN/CEFACT (Cross Industry
// Invoice D16B), the profile that ZUGFeRD and Factur-X call EN 16931.
//
// A document is what was issued: it takes its amounts from the frozen lines and rounds nothing itself. What happens to an invoice
// later, a payment or a credit note, does not change it. What breaks a rule of the standard is not written.
//
// Change here: what stands in an electronic invoice, which rules are checked. Not here: amounts and tax (app/billing), the words of
// lines (views/invoice), who may load one (app/web/portal/billing, app/web/admin).
// May import: app/billing, app/fault, app/pricing. Used by: app/web/bill. Proof: go test ./app/billing/einvoice
package einvoice

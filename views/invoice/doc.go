// Package invoice shows an invoice: on a page that prints well, and as PDF with the same words.
//
// Change here: what stands on an invoice, and how. Not here: amounts (app/billing, app/pricing), who may open it
// (app/web/portal/billing, app/web/admin).
// May import: views/…. Used by: app/web/admin, app/web/bill, app/web/portal/billing, views/admin,
// views/portal/billing. Proof: go test ./views/invoice
package invoice

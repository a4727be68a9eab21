// Package billing answers the pages of what a customer pays: plan, pool, choice for an empty pool, address, invoices.
//
// Change here: how the pages read and answer forms. Not here: amounts and rules (app/billing), markup (views/portal/billing).
// May import: app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal/billing
package billing

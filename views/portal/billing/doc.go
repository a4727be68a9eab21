// Package billing holds the pages of what a customer pays: plan, pool, choice for an empty pool, invoices.
//
// Change here: what the pages show. Not here: the invoice itself (views/invoice), amounts (app/billing).
// May import: views/portal, views/…. Used by: app/web/portal/billing. Proof: go test ./app/web/portal/billing
package billing

// Package bill puts invoices on pages and into files, PDF and XML: the portal and the console show the same.
//
// Change here: what of an invoice its page and its files get. Not here: how they show it (views/invoice, app/billing/einvoice), amounts
// (app/billing), routes.
// May import: app/billing, app/fault, app/web, views. Used by: app/web/admin, app/web/portal/billing.
// Proof: go test ./app/web/portal/billing
package bill

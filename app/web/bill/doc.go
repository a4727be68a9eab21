// Package bill puts invoices on pages: the portal and the console show the same.
//
// Change here: what of an invoice its page and PDF get. Not here: how they show it (views/invoice), amounts (app/billing), routes.
// May import: app/billing, app/web, views. Used by: app/web/admin, app/web/portal/billing. Proof: go test ./app/web/portal/billing
package bill

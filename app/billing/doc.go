// Package billing is what customers owe: their months, and the invoices that come of them.
//
// A period is one month of a customer, from the hour in which the server was ready to the same day of the next month. It is
// ACTIVE while it runs, CLOSED when its time is over, and BILLED once its invoice is issued; every amount of that invoice is frozen
// beside it. Amounts are whole euro cents; how they come about stands in app/pricing and docs/BILLING.md.
//
// Change here: when periods begin and end, what stands on an invoice, who may change it, how a plan is changed and ended. Not here:
// arithmetic of prices (app/pricing), SQL (db/billing_*.go), taking money (the Collector of jobs).
// May import: app/account, app/audit, app/fault, app/order, app/page, app/pricing, app/staff, app/usage, app/work.
// Used by: app/billing/einvoice, app/billing/rates, app/payment, app/web, cmd/bench, cmd/hub, db, jobs.
// Proof: go test ./app/billing ./db -run Billing && go test ./cmd/hub/e2e/year
package billing

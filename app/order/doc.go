// Package order holds the rules about orders: what can be ordered, which changes of state are legal, and what each
// change leads to.
//
// Change here: states and transitions, what checkout asks, who may retry or cancel. Not here: what a step does on a
// machine (jobs/provision), the queue (jobs), SQL (db/orders.go), pages.
// May import: agentd/redact, agentd/wire, app/account, app/audit, app/dns, app/fault, app/page, app/pricing, app/staff, app/tune,
// app/work.
// Used by: app/attention, app/billing, app/naming, app/payment, app/web/admin, app/web/api, app/web/portal, app/web/public, cmd/bench,
// cmd/hub, db, jobs, jobs/provision.
// If you change a state or a transition, also change: a new migration (the database refuses what it does not know) and the words
// in views.
// Proof: go test ./app/order ./db ./jobs
package order

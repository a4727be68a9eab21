// Package work names follow-up work, so that rules can ask for it without knowing the queue.
//
// Change here: what kinds of follow-up work exist. Not here: how it is queued or done (jobs).
// May import: the standard library. Used by: app/account, app/approver, app/billing, app/clientele, app/order, app/passkey,
// app/payment, app/staff,
// app/regain, app/support, cmd/bench,
// cmd/hub, db, jobs. Proof: go test ./jobs
package work

// Package closing is the last thing that happens to a customer who left: what the hub keeps of them is erased, except for what the law
// asks to keep, which is deleted when its time is over.
//
// An account is closed some days after its last server was given back, when no order, no month, no payment and no refund of the
// customer is open any more. All of it happens in one transaction: a worker that is killed leaves everything as it was, and the work is
// done again. Nothing brings an erased customer back.
//
// Change here: when an account is closed, what it waits for, and how long invoices are kept. Not here: what becomes of each table
// (db/erase_tables.go), how an order ends (app/order, end.go).
// May import: app/account, app/audit, app/tune, app/work. Used by: app/web, cmd/hub, db.
// Proof: go test ./app/closing ./db ./jobs -run 'Clos|Eras'
package closing

// Package naming gives orders' servers their names: it makes the records where the hub can, says what a person has to enter where
// it cannot, asks the name servers until all is right, and gives up after long.
//
// Change here: when records are made, how long one waits between looks and in all, what is said then. Not here: which records are
// right (app/dns), how providers and name servers are asked (app/provider/dnshost, app/provider/dnslook).
// May import: app/account, app/audit, app/dns, app/fault, app/order, app/provider/dnshost, app/staff, app/tune. Used by:
// app/web/admin, app/web/api, app/web/names, app/web/public, cmd/bench, cmd/hub, db. Proof: go test ./app/naming ./jobs
package naming

// Package admin answers the pages of the staff console: customers, orders with their live log, servers, and their
// own approver keys. Staff see no
// contents of a customer's work; what they change is recorded with their name.
//
// Change here: the console's routes. Not here: pages (views/admin), approvals across customers (app/web/inbox), rules
// (app/order, app/server), who staff are (app/staff).
// May import: agentd/wire, app/…, app/web, views/admin, views/layout. Used by: cmd/bench, cmd/hub. Proof: go test ./app/web/admin
package admin

// Package page is how every list is cut into pages: by the id of the last item seen, never by counting.
//
// Change here: limits of pages and what a cursor is. Not here: the queries (db), query parameters (app/web/…).
// May import: app/fault. Used by: app/approval, app/audit, app/billing, app/clientele, app/job, app/order, app/server, app/support,
// app/takeout, app/web, cmd/bench, db.
// Proof: go test ./app/page
package page

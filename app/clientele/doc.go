// Package clientele is what our staff do with customers: they list them, make them, change what is kept about them, and write notes
// that no customer reads. The first person of a customer whom our staff made is invited by mail, and chooses a password then.
//
// Change here: what our staff may write, and its bounds. Not here: what customers do themselves, and how an invitation is answered
// (app/account), SQL (db/clientele.go), pages (app/web/admin) and the API (app/web/api).
// May import: app/account, app/audit, app/fault, app/page, app/staff, app/work. Used by: app/web, cmd/hub, db.
// Proof: go test ./app/clientele ./db ./app/web/admin
package clientele

// Package audit is the record of what staff and owners changed, written in the transaction of the change.
//
// Change here: what a record holds, how it is narrowed and taken out. Not here: its table (db/audit.go), the pages that show
// it (app/web/admin).
// Records hold ids and names of fields, never contents of conversations, arguments or secrets.
// May import: app/fault, app/page. Used by: app, cmd/bench, cmd/hub, db, jobs/provision.
// Proof: go test ./app/audit ./db ./app/web/admin
package audit

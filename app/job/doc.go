// Package job is the hub's background work as our staff see it: what is queued, runs or failed, and what they may do about
// it. Each act is recorded in the transaction of the change.
//
// Change here: which job may be retried or canceled, how the list is narrowed. Not here: the work itself (jobs), the tables of
// the queue (db/river_jobs.go), the pages (app/web/admin).
// May import: app/audit, app/fault, app/page, app/staff. Used by: app/web/admin, app/web/api, cmd/hub, db.
// Proof: go test ./app/job ./db ./app/web/admin
package job

// Package setting is what our staff may change about how the hub works, without a restart: a table of settings, each with its bounds,
// who changed it and why.
//
// Change here: which settings there are. A setting stands here only when something reads it. Not here: what each does (its readers), SQL
// (db/settings.go), the page (app/web/admin).
// May import: app/audit, app/fault, app/staff. Used by: app/web, cmd/hub, db. Proof: go test ./app/setting ./db ./app/web/admin
package setting

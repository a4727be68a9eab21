// Package setting is what our staff may change about how the hub works, without a restart: a table of settings, each with its bounds,
// who changed it and why. Secret ones are closed with the key file of the hub and never shown again.
//
// Change here: which settings there are. A setting stands here only when something reads it. Not here: what each does (its readers),
// which part reads which (cmd/hub, settings.go), SQL (db/settings.go), the page (app/web/admin), the API (app/web/api).
// May import: app/audit, app/fault, app/staff. Used by: app/web, cmd/hub, db. Proof: go test ./app/setting ./db ./app/web/admin ./cmd/hub
package setting

// Package providers is what the hub knows of the places that rent servers out: how it is connected to netcup, which of the machines
// there it may hand out, and what came back when a provider was asked last.
//
// netcup sells no machine over its API. Our staff order machines there by hand and adopt them here; an order takes a free one, and what
// is given back is wiped before it is free again.
//
// Change here: what an adopted machine is, who may connect, adopt and hold back. Not here: how netcup is spoken to
// (app/provider/vpshost/netcup), rows (db), pages (app/web/admin).
// May import: app/audit, app/fault, app/staff. Used by: app/provider/vpshost/netcup, app/web/admin, app/web/api, cmd/hub, db.
// Proof: go test ./app/providers ./db
package providers

// Package support is what the hub does about support windows: staff ask to look at content of a customer's server, the owner
// opens a window with a signature, and closes it at once whenever they like. The server alone decides what is shown, and seals
// it to the browser that asked: the hub carries looks, and keeps a line for each.
//
// Change here: who may ask, open, close and look. Not here: what a window opens (agentd/support), pages (app/web/portal/support,
// app/web/admin), SQL (db/support.go).
// May import: agentd/wire, app/account, app/audit, app/fault, app/page, app/relay, app/server, app/staff, app/work.
// Used by: app/web/admin, app/web/api, app/web/portal, cmd/hub, db. Proof: go test ./db ./app/web/portal/support
package support

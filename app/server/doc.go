// Package server holds the rules about customers' servers as the hub sees them: registration with a one-time token,
// keys, heartbeats, and what follows from their absence.
//
// Change here: when a server counts as degraded or offline, what a registration needs. Not here: the link itself
// (app/relay, app/web/agentlink), making servers (app/provider/vpshost, jobs/provision), SQL (db/servers.go).
// May import: app/account, app/audit, app/fault, app/page, app/recent, app/staff, app/tune, agentd/wire. Used by: app, cmd/bench,
// cmd/hub, db, jobs, jobs/provision. Proof: go test ./app/server ./db
package server

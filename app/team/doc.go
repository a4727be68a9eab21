// Package team holds the settings of a customer's team: the autonomy level of the server and of each agent, what is
// unlocked, and who counts as inside the business. Every change makes a new version; the server applies versions in
// order and reports which one it runs.
//
// Change here: what may be set and by which rules. Not here: what the settings do (agentd/policy), pages
// (app/web/portal/team), SQL (db/configs.go).
// May import: app/account, app/audit, app/fault, app/relay, app/server, agentd/policy/canonical, agentd/wire.
// Used by: app/web/…, db, cmd/hub, app/billing. Proof: go test ./app/team ./app/web/agentlink
package team

// Package approver holds what the hub knows and does about the keys of the people who may allow. It carries requests to
// the customer's server, which alone enrols, revokes and counts keys; what is kept here is for pages, and for saying
// early that a signature cannot count. Which of our staff a key belongs to, the hub alone knows.
//
// Change here: what people may ask about keys. Not here: which key counts (agentd/approver), pages (app/web/portal,
// app/web/api), SQL (db/approvers.go).
// May import: app/account, app/audit, app/fault, app/relay, app/server, app/staff, app/work, agentd/wire. Used by: app/web/admin,
// app/web/api, app/web/inbox, app/web/portal, app/web/public, cmd/hub, db.
// Proof: go test ./db ./app/web/agentlink ./cmd/hub/e2e/...
package approver

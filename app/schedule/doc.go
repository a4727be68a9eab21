// Package schedule has a customer's server keep, change and run what the team is to do at its time. All of it is kept on the server; the
// hub passes questions on and keeps nothing.
//
// Change here: what may be asked of a server about schedules. Not here: when they are due and what becomes of them (agentd/schedule), the
// pages (app/web/portal/schedule), the API (app/web/api).
// May import: app/account, app/server, agentd/wire. Used by: app/web/api, app/web/portal, app/web/portal/schedule, cmd/hub.
// Proof: go test ./app/web/portal/schedule ./cmd/hub -run Schedule
package schedule

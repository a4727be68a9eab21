// Package schedule answers the pages of schedules: what the team does at its time, one with its history, and a month.
//
// Change here: how the pages read and answer forms. Not here: what may be asked of a server (app/schedule), when something is due
// (agentd/schedule), markup (views/portal/schedule).
// May import: app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal ./cmd/hub/e2e/page
package schedule

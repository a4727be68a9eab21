// Package approval mounts the inbox in the portal and keeps its open pages up to date.
//
// Change here: when a card or the list is pushed. Not here: the pages of the inbox (app/web/inbox), what may be answered
// (app/approval), cards (views/inbox).
// May import: agentd/wire, app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal/approval
package approval

// Package portal answers the customer's pages: talk to the team, see what it did and is doing, and set how much it may
// do alone. What a page shows is read from the customer's own server; when that is away, the page says so.
//
// Change here: routes below /app (approvals apart), what goes into the pages, what is pushed into open ones. Not here:
// approvals (app/web/inbox), how events become bubbles (app/web/portal/turn), markup (views/portal), rules (app/chat,
// app/team).
// May import: app/…, agentd/wire, agentd/policy, views. Used by: cmd/hub. Proof: go test ./app/web/portal/...
package portal

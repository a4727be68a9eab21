// Package frame holds what every page of the portal shares: the frame around it with menu and banner, whose request it
// answers, and how long it waits for the customer's server.
//
// Change here: the menu, what the banner says, how long a page waits. Not here: how an open page stays up to date
// (app/web/portal/live), the markup of the frame (views/layout).
// May import: agentd/wire, app/…, views. Used by: app/web/portal.
// Proof: go test ./app/web/portal/...
package frame

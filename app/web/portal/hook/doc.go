// Package hook answers the pages of hooks and of rules on events: the list, one with what came to it or what it has begun, and the acts of
// owners, which the server carries out.
//
// Change here: what the pages read and which acts they offer. Not here: what becomes of deliveries (agentd/hook) and of
// events (agentd/eventrule), where deliveries come in (app/web/hook), markup (views/portal/hook).
// May import: agentd/wire, app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal/hook
package hook

// Package inbox answers the pages on which a person decides: what waits, one approval with all facts, changing its
// arguments, and what was decided. The same handlers stand in the portal, where the customer decides, and in the
// console, where staff see no contents and may deny, or allow one request with a key that the customer's owner added.
//
// Change here: routes of the inbox, how an answer is read. Not here: what may be answered (app/approval), what a card
// says (views/inbox), how an approval becomes a card (app/web/inbox/card).
// May import: app/…, agentd/wire, agentd/policy, agentd/redact, views. Used by: app/web/admin, app/web/portal, cmd/hub.
// Proof: go test ./app/web/inbox
package inbox

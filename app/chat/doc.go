// Package chat carries conversations between people and the team on their server: messages out, answers and events
// back, history on request. The hub keeps no text of a conversation; a message for a server that is away is kept
// sealed to that server until it is delivered.
//
// Change here: what a message may be, how streams of events heal, how long a server is waited for. Not here: the
// runs themselves (agentd/runtime), the link (app/web/agentlink), pages (app/web/portal/chat).
// May import: app/account, app/fault, app/relay, app/server, agentd/wire. Used by: app/web/…, cmd/hub.
// Proof: go test ./app/chat ./app/web/agentlink
package chat

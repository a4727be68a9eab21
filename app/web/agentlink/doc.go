// Package agentlink is the hub's end of the links to servers: registration over HTTP, and the websocket that each agentd
// opens. It proves who a server is, applies its reliable frames once, hands its live ones to pages, and sends what waits
// for it, in order.
//
// Change here: limits, the handshake, which frame goes to which rules. Not here: what frames hold (agentd/wire), how
// they are kept (db/links.go), how pages hear of them (app/relay).
// May import: app/account, app/approval, app/fault, app/relay, app/server, app/web, app/web/jsonbody, app/web/once,
// agentd/wire, echo, coder/websocket. Used by: cmd/hub. Proof: go test ./app/web/agentlink
package agentlink

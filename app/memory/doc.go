// Package memory is what people do with what their team remembers: look through it, search, and, signed, state, confirm and correct.
// The notes stand on the server; the hub passes questions and answers on and keeps nothing of either.
//
// Change here: what may be asked of a server about memory. Not here: what the answers are (agentd/memory), pages
// (app/web/portal/memory).
// May import: app/account, app/server, agentd/wire. Used by: app/web/portal, cmd/hub.
// Proof: go test ./app/web/portal/memory
package memory

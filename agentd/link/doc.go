// Package link is agentd's end of the websocket to the hub: registration, handshake, the durable outbox and inbox, and
// the way back after any loss. agentd opens the link; the hub cannot reach a server that does not.
//
// Reliable frames are numbered in each direction, kept until acknowledged, sent again after a reconnect and applied
// once, in the transaction of what they change. Everything else may be lost and is asked for again by who misses it.
//
// Change here: how frames are kept, sent and applied. Not here: what travels (agentd/wire), what frames and questions
// do (the Handler that agentd wires).
// May import: agentd/failpoint, agentd/redact, agentd/wire, coder/websocket, uuid. Used by: agentd, cmd/agentd, cmd/bench.
// If you change a table, also change: agentd/store/migrations. Proof: go test ./agentd/link ./app/web/agentlink
package link

// Package memory answers the page of what the team remembers: lists and searches of notes, what waits for the owner, and the acts of
// people on notes, which the server carries out.
//
// Change here: what the page reads and which acts it offers. Not here: what people may do with notes (agentd/memory/desk), markup
// (views/portal/memory).
// May import: agentd/wire, app/…, views. Used by: app/web/portal. Proof: go test ./app/web/portal/memory
package memory

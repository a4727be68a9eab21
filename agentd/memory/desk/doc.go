// Package desk is where the owner meets the memory of the team: lists and searches, and the acts of people on notes.
//
// What gives a note weight is signed by the owner, and kept as such in the database of this server: the file alone makes nothing
// the owner's word. What a person only takes away needs no signature, unless the owner had stated it.
//
// Change here: what people may do with notes. Not here: how notes stand in files (agentd/memory), pages (app/web/portal/memory).
// May import: agentd/memory, agentd/receipt, agentd/redact, agentd/rpc, agentd/store, agentd/wire, google/uuid. Used by: agentd.
// If you change a table, add a migration in agentd/store/migrations. Proof: go test ./agentd/memory/desk
package desk

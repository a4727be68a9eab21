// Package desk is where the owner shapes the team: takes agents out of the library, puts them away and back, makes agents, writes
// their files, and decides what becomes of edits when a template has changed. What files were before is kept.
//
// Each act is signed by the owner. What it will put into its place is laid out first; then signature, act and receipt are kept in one
// transaction; then folders are renamed. A process that dies on the way does the rest at its next start, or nothing has happened.
//
// Change here: what people may do with agents. Not here: how agents stand in folders (agentd/team), pages (app/web/portal/team).
// May import: agentd/failpoint, agentd/receipt, agentd/redact, agentd/rpc, agentd/store, agentd/team, agentd/wire, google/uuid.
// Used by: agentd. If you change a table, add a migration in agentd/store/migrations. Proof: go test ./agentd/team/desk
package desk

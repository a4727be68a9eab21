// Package eventrule has an agent work when something happens on the server: rules that the owner has made and signed for.
//
// What happens comes in the transaction that makes it true. The run that it begins, the row and the receipt that say so, and the
// mark by which the event is known again are part of the same transaction: whenever the process is killed, one event has one run
// for each rule. What a rule does not begin, because it would go in circles, comes too often or has no agent to work on it, is
// counted in a row that the owner sees.
//
// An event that comes from a run which a rule began, or from what such a run has made, begins nothing: one step is the most. A run
// that is begun stands behind everything that the run behind the event had read, and reads what is told of it between marks, as
// content from outside.
//
// Change here: what rules are, which events begin a run, what owners do with rules. Not here: what happens (agentd/runtime,
// agentd/gate, agentd/schedule tell it), how runs work (agentd/runtime).
// May import: agentd/failpoint, agentd/policy, agentd/receipt, agentd/redact, agentd/rpc, agentd/store, agentd/wire, google/uuid.
// Used by: agentd. If you change a table, add a migration in agentd/store/migrations. Proof: go test ./agentd/eventrule
package eventrule

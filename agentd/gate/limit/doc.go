// Package limit says when a call is one too many: rates and cooldowns, budgets of a tree of runs, repeated calls, tasks that
// are handed on too often, hours, and a machine that runs short.
//
// The gate asks it in stage 4 and again when a call starts. Nothing here reads the store or runs a tool: the gate passes in
// the time and the calls on record, so that every rule can be tested alone.
//
// Change here: how calls are counted, and what a refused agent reads. Not here: what the owner's rules say
// (agentd/policy), when the gate asks (agentd/gate/limits.go, agentd/gate/limitsstart.go).
// May import: agentd/policy, agentd/tool. Used by: agentd/gate. Proof: go test ./agentd/gate/limit ./agentd/gate
package limit

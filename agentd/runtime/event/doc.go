// Package event is the event log of runs: numbered events that are shown at once and stored soon after, in one order with
// the changes of the tables that belong to them.
//
// Change here: how events are numbered, stored, flushed and read back. Not here: which events there are
// (agentd/wire/event.go), who emits them (agentd/runtime).
// May import: agentd/redact, agentd/store, agentd/wire. Used by: agentd/runtime.
// If you change the table, add a migration in agentd/store/migrations (002x). Proof: go test ./agentd/runtime/...
package event

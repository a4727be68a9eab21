// Package lane limits how many runs work at once, first come, first served.
//
// Change here: who gets a free place. Not here: which lanes there are and when a run waits (agentd/runtime), the order of
// the messages of one session (agentd/runtime/scheduler.go).
// May import: the standard library. Used by: agentd/runtime. Proof: go test ./agentd/runtime/lane
package lane

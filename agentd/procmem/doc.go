// Package procmem keeps the resident memory of agentd's own long-running processes small.
//
// Change here: what a process gives back once it has started, how far its heap may grow. Not here: limits on tools
// (agentd/sandbox).
// May import: the standard library and golang.org/x/sys. Used by: agentd, cmd/agentd, cmd/bench. Proof: go test
// ./agentd/procmem
package procmem

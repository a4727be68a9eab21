// Package taint tracks content from outside: which files hold it, which files a tool call reads and writes, and which
// sources a run has taken in. A run that has read such content is tainted, and the gate asks a person more often.
//
// Change here: which programs are known to show only the files they name, how marks of files are kept, restored and
// dropped. Not here: what taint means for a decision (agentd/policy), when a run takes over taint (agentd/runtime).
// May import: agentd/policy, agentd/tool, agentd/wire, agentd/store, agentd/lazyre, mvdan.cc/sh, golang.org/x/sys/unix.
// Used by: agentd, agentd/runtime.
// If you change a table, add a migration in agentd/store/migrations (002x). Proof: go test ./agentd/taint ./agentd/runtime
package taint

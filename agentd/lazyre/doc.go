// Package lazyre compiles regular expressions when they are first needed. A program of ours starts itself again for every
// confined tool; hundreds of expressions that nobody asks for would cost each start tens of milliseconds and megabytes.
//
// Change here: nothing but the methods that are needed. Not here: expressions.
// May import: the standard library. Used by: agentd/egress, agentd/ingress, agentd/llm/rehearsal, agentd/policy,
// agentd/runtime/answer, agentd/schedule/due, agentd/schedule/when, agentd/taint, agentd/tools/shell/inside.
// Proof: go test ./agentd/lazyre ./agentd
package lazyre

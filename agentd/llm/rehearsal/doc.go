// Package rehearsal is the built-in stand-in for a model, so that the product can be tried with no key and no
// network. It sees what any model sees, messages and tool schemas, calls tools through the same loop and gate, and
// computes what it says from what the tools answered. It says what it is when asked for more than it can do.
//
// Change here: which requests it understands, what it does and says. Not here: how a run works (agentd/runtime).
// May import: agentd/llm, agentd/tool, agentd/demo. Used by: agentd, cmd/agentd.
// If you teach it something, also change: its own list of abilities (talk.go). Proof: go test ./agentd/llm/rehearsal
package rehearsal

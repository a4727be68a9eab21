// Package container asks the container engine of the machine, over its socket, what runs there and how it is, what
// it wrote, and starts and stops it.
// Where the socket is not there or not allowed, which is the rule for agentd, it says so and nothing else.
//
// Change here: what is asked of the engine. Not here: who may ask (agentd/command, agentd/support).
// May import: the standard library. Used by: agentd, agentd/command, agentd/support, cmd/agentd.
// Proof: go test ./agentd/container
package container

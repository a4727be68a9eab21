// Package command carries out the hub's signed commands about agentd itself and the containers of the machine. The key that
// signs them is pinned; a command is good for this server, for minutes, and once. Each is on record before anything happens,
// and again when it has ended; one that is refused is on record too.
//
// Change here: what a command needs, and what each verb does. Not here: their shape (agentd/wire), the container engine
// (agentd/container).
// May import: agentd/container, agentd/receipt, agentd/rpc, agentd/store, agentd/wire. Used by: agentd.
// Proof: go test ./agentd/command
package command

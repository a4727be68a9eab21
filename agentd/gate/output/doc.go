// Package output keeps long outputs of tools whole in a folder of the state directory, one file for each call.
//
// A call, a run and the server each have a share of the disk, so no agent can fill it by printing. Old files make room.
//
// Change here: how much is kept, and for how long. Not here: what a model reads of a long output (agentd/gate/output.go).
// May import: the standard library. Used by: agentd/gate. Proof: go test ./agentd/gate/output, and TestKeep of agentd/gate
package output

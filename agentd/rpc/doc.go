// Package rpc is the table of the questions that this server answers: each part publishes its methods, and the daemon joins
// them. A new question is a new entry in the table of its part.
//
// Change here: how parameters are read, what a question that cannot be read or is not known is told. Not here: the
// questions themselves (agentd/wire), their answers (the parts), how they travel (agentd/link).
// May import: agentd/wire. Used by: agentd, agentd/approver, agentd/command, agentd/config, agentd/export, agentd/files, agentd/gate,
// agentd/receipt, agentd/runtime, agentd/vault/counter. Proof: go test ./agentd/rpc ./agentd
package rpc

// Package attach is the tool attach: it adds a file of the data folder to the answer of its run.
//
// Change here: which files can be attached. Not here: where answers and their files go (agentd/channel), how a run keeps them
// (agentd/runtime), how files are opened safely (agentd/tools/dataroot).
// May import: agentd/gate, agentd/policy, agentd/redact, agentd/tool, agentd/tools/dataroot. Used by: agentd.
// Proof: go test ./agentd/tools/attach
package attach

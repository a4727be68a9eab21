// Package notes is the tools memory_search, memory_get and memory_write: what agents remember, and what they look up of it.
//
// An agent reads its own notes and those of the team, and what was put aside for the owner it does not read. A note that came of
// content from outside taints the run that reads it; one that a tainted run writes is marked so for ever.
//
// Change here: what the model reads of notes. Not here: where notes stand and how they are found (agentd/memory).
// May import: agentd/gate, agentd/memory, agentd/policy, agentd/redact, agentd/tool. Used by: agentd. Proof: go test ./agentd/tools/notes
package notes

// Package version keeps what was deleted or replaced, so that it can be put back: the agents' deletions and what people did
// on the page of their files. What a write of an agent has replaced is kept beside the write itself
// (agentd/tools/filewrite).
//
// What is kept lies in the state directory, for 30 days at most and within a limit; where the disk is short the oldest goes
// first, and what would take too much of it is not kept at all.
//
// Change here: what is kept, for how long, how it is put back. Not here: who may ask for that (agentd/files).
// May import: agentd/policy, agentd/tool, agentd/tools/dataroot, agentd/wire. Used by: agentd, agentd/files, agentd/tools/filedelete.
// Proof: go test ./agentd/tools/version
package version

// Package filewrite is the tool file_write: the new content is put aside and shown as a diff first, and takes the
// place of the old in one step when the gate allows it. Both are kept for a way back, which is the tool
// file_restore: a write like any other, of what a former one has replaced.
//
// Change here: staging, the diff, how a write is committed. Not here: how files are opened and replaced safely
// (agentd/tools/dataroot).
// May import: agentd/gate, agentd/policy, agentd/redact, agentd/tool, agentd/tools/dataroot,
// agentd/wire, difflib. Used by: agentd, cmd/agentd.
// Proof: go test ./agentd/tools/filewrite
package filewrite

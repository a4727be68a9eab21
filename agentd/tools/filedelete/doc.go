// Package filedelete is the tool file_delete: a file, a folder or what a glob matches, measured and frozen before a
// person is asked; only what was measured is deleted.
//
// Change here: what is measured and how the list is checked. Not here: how entries are removed safely
// (agentd/tools/dataroot).
// May import: agentd/gate, agentd/policy, agentd/tool, agentd/tools/dataroot,
// agentd/tools/version. Used by: agentd.
// Proof: go test ./agentd/tools/filedelete
package filedelete

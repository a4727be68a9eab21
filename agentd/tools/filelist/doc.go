// Package filelist is the tool file_list: what lies in one folder of the data folder.
//
// Change here: how a folder is shown to the model. Not here: how folders are opened safely (agentd/tools/dataroot).
// May import: agentd/gate, agentd/policy, agentd/tool, agentd/tools/dataroot. Used by: agentd.
// Proof: go test ./agentd/tools/filelist
package filelist

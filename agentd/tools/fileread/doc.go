// Package fileread is the tool file_read: the text of one file in the data folder.
//
// Change here: how a file is read to the model. Not here: how files are opened safely (agentd/tools/dataroot).
// May import: agentd/gate, agentd/policy, agentd/tool, agentd/tools/dataroot. Used by: agentd.
// Proof: go test ./agentd/tools/fileread
package fileread

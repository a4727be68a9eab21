// Package dataroot is the one handle on the business's files: everything that file tools do happens beneath it, by
// handle and not by name, so that links, races and odd files lead nowhere.
//
// Change here: how files are opened, checked, replaced and removed. Not here: what may be asked for (agentd/policy),
// what the tools say (agentd/tools/file…).
// May import: agentd/policy, agentd/tool, golang.org/x/sys. Used by: agentd.
// Proof: go test ./agentd/tools/dataroot
package dataroot

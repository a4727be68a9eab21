// Package envread is the tool env_read: settings of business tools, from files beneath the data folder. What is secret
// comes as a reference when the vault has it, else hidden.
//
// Change here: what is shown of a setting. Not here: the form of the files (agentd/tools/envfile).
// May import: agentd/gate, agentd/policy, agentd/tool, agentd/tools/dataroot, agentd/tools/envfile. Used by: agentd. Proof: go test
// ./agentd/tools/envupdate
package envread

// Package envupdate is the tool env_update: settings of business tools are changed in files beneath the data folder, in
// one step. A person sees the change without secret values; those come from the vault, for references that are bound to
// this file and setting, at the last moment.
//
// Change here: how settings are changed and shown. Not here: the form of the files (agentd/tools/envfile), which
// settings may be changed (agentd/policy).
// May import: agentd/gate, agentd/policy, agentd/redact, agentd/tool, agentd/tools/dataroot, agentd/tools/envfile.
// Used by: agentd. Proof: go test ./agentd/tools/envupdate
package envupdate

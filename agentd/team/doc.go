// Package team knows the agents of a server: the templates they come from, their folders, the team that is in force, and which
// tools each agent sees and why.
//
// Change here: templates, how agents stand in folders, tool profiles, the layers of the tool policy, which models see fewer tools.
// Not here: what the owner may do with agents (agentd/team/desk), what a tool may do once it is visible (agentd/policy,
// agentd/gate), how an agent runs (agentd/runtime).
// May import: agentd/failpoint, agentd/policy, agentd/team/merge, agentd/tool, agentd/wire, yaml.
// Used by: agentd, agentd/runtime, agentd/team/desk, cmd/agentd.
// If you add a template, also change: agentd/phrase (its words in German). Proof: go test ./agentd/team
package team

// Package team knows the agents of a server: the templates they come from, their files, and which tools each of them
// sees and why.
//
// Change here: templates, tool profiles, the layers of the tool policy, starters. Not here: what a tool may do once
// it is visible (agentd/policy, agentd/gate), how an agent runs (agentd/runtime).
// May import: agentd/tool, yaml. Used by: agentd, agentd/runtime, cmd/agentd.
// If you add a template, also change: README (the demo's tour). Proof: go test ./agentd/team
package team

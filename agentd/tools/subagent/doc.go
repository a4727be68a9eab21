// Package subagent is the tools by which an agent has long work done beside a conversation, or several things at once:
// subagent_spawn, subagent_check and subagent_stop.
//
// Change here: what the tools say. Not here: how the run of a sub-agent is started, kept and told of (agentd/runtime).
// May import: agentd/gate, agentd/policy, agentd/tool. Used by: agentd. Proof: go test ./agentd/tools/subagent
package subagent

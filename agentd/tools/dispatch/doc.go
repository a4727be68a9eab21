// Package dispatch is the tool agent_dispatch: hand a task to another agent of the team and wait for its answer.
//
// Change here: what the tool says. Not here: how the other agent's run is started and followed (agentd/runtime).
// May import: agentd/gate, agentd/policy, agentd/tool. Used by: agentd. Proof: go test ./agentd/tools/dispatch
package dispatch

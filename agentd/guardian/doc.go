// Package guardian asks a second model about risky calls before the rules decide. It sees what the owner asked for and
// what the agent wants to do, never the content from outside that may stand behind it, and can only make a decision
// stricter.
//
// Change here: what the second model is told, how its answer is read, the suite that measures it. Not here: when it is
// asked and what its answer does (agentd/gate, agentd/policy).
// May import: agentd/gate, agentd/llm, agentd/policy, agentd/policy/strict, agentd/redact, agentd/wire. Used by: agentd,
// cmd/agentd. Proof: go test ./agentd/guardian; any model: agentd check guardian
package guardian

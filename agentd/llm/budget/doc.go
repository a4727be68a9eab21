// Package budget lets a call to a model go only while it fits what the team may use: the pool of the billing period, a
// budget of tokens a day for all agents, and one for each agent. A call reserves the most that it can use before it
// leaves, and settles what it did use, so that calls side by side never use more than one after the other would.
//
// Change here: what is counted against what, and when a call is refused. Not here: what is set (agentd/wire's Spend), what an
// answer used (agentd/llm/meter), when a call leaves (agentd/llm/proxy).
// May import: nothing of ours. Used by: agentd, agentd/llm/proxy, agentd/llm/via, cmd/bench. Proof: go test ./agentd/llm/budget
package budget

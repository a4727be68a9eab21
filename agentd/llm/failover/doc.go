// Package failover decides which profile is asked next. A failure lets a profile rest, longer each time; the next one is
// tried at once; what rests is tried last and never left out, so that a single endpoint is always asked.
//
// Change here: which failures lead on, how long what rests. Not here: which profiles there are (agentd/llm/profile), how
// they are asked (agentd/llm/proxy).
// May import: agentd/llm/profile, agentd/store. Used by: agentd/llm/proxy. Proof: go test ./agentd/llm/failover
package failover

// Package profile says which endpoints of model providers there are, which models each may be asked for, and which
// model stands in for another. What is not written here is never asked.
//
// Change here: the settings and their checks. Not here: which profile is tried first and when one rests
// (agentd/llm/failover), how an endpoint is asked (agentd/llm/proxy).
// May import: agentd/wire, gopkg.in/yaml.v3, the standard library. Used by: agentd/llm/failover, agentd/llm/proxy, cmd/agentd,
// cmd/bench.
// Proof: go test ./agentd/llm/profile
package profile

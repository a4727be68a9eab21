// Package meter reads from an answer what it used, while the answer passes by, and adds it up per agent, profile, model
// and hour.
//
// Change here: where each protocol says what was used, how it is added up. Not here: prices (the hub's), when an answer
// passes (agentd/llm/proxy).
// May import: agentd/store. Used by: agentd/llm/proxy. Proof: go test ./agentd/llm/meter
package meter

// Package jsontree reads JSON so that it can be read in one way only, keeps the order of what it read, and writes it
// anew. What a proxy sends on is what it has looked at, never the bytes that came in.
//
// Change here: what is refused as ambiguous, how values are written. Not here: what is looked for in them
// (agentd/llm/scrub).
// May import: the standard library. Used by: agentd/llm/proxy, agentd/llm/scrub. Proof: go test ./agentd/llm/jsontree
package jsontree

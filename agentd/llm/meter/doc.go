// Package meter reads from an answer what it used, while the answer passes by, and adds it up per agent, model, account and
// hour. What an answer does not say is estimated from its text and marked so.
//
// A request goes on record when it is sent (Begin) and leaves the record when its usage is added (Settle), so that a process
// that was killed in between loses nothing: the next start adds what had passed by then, as an estimate.
//
// Change here: where each protocol says what was used, how it is estimated and added up. Not here: prices and budgets, when an
// answer passes (agentd/llm/proxy), how rows reach the hub (agentd/llm/report).
// May import: agentd/store, agentd/wire, tiktoken-go. Used by: agentd, agentd/llm/proxy.
// Proof: go test ./agentd/llm/meter
package meter

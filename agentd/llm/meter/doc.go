// Package meter reads from an answer what it used, while the answer passes by, and adds it up per agent, model, account and
// hour. What an answer does not say is estimated from its text and marked so.
//
// A request goes on record before it is sent (Begin, in the file of agentd/llm/slate), each piece of its answer is noted there before
// the caller has it, and it leaves the record when its usage is added (Settle). A process that was killed in between loses
// nothing: the next start adds what had passed by then, as an estimate unless the provider had said it. The ids of calls that were
// added lie in the database until the file is known to be without them, so that none is added twice.
//
// Change here: where each protocol says what was used, how it is estimated and added up. Not here: prices and budgets, when an
// answer passes (agentd/llm/proxy), how rows reach the hub (agentd/llm/report).
// May import: agentd/llm/slate, agentd/store, agentd/wire, tiktoken-go. Used by: agentd, agentd/llm/proxy, cmd/bench.
// Proof: go test ./agentd/llm/meter
package meter

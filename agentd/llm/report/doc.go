// Package report tells the hub what the meters of this server counted: rows that changed go into the outbox, in one
// transaction with how far the meter was read. Rows are cumulative, so one report may stand for many, and while one waits for
// the hub no other joins it.
//
// Change here: when a report is made, how questions about usage are answered. Not here: counting (agentd/llm/meter), how frames
// travel (agentd/link).
// May import: agentd/link, agentd/rpc, agentd/store, agentd/wire. Used by: agentd. Proof: go test ./agentd/llm/report
package report

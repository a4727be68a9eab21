// Package export makes the archive of all that a customer has on the server: conversations as JSON and Markdown, receipts,
// rules, team and a list of credentials without their values. One archive at a time is made, kept for a day in the state
// directory, and read in stretches.
//
// Each text passes redaction as it is written, because the bytes of an archive pass none on their way. An archive is made from
// the answers that pages get: what they cannot show is not in it. Nothing of it is held in memory beyond one page of turns.
//
// Change here: what an archive holds. Not here: what the questions answer (the parts), how it gets to the browser
// (app/web/portal/account).
// May import: agentd/receipt, agentd/redact, agentd/rpc, agentd/store, agentd/wire. Used by: agentd.
// Proof: go test ./agentd/export ./cmd/hub/e2e/story
package export

// Package export makes the archives of all that a customer has on the server: one of conversations as JSON and Markdown, receipts,
// notes, schedules, hooks, rules, team and a list of credentials without their values, and one of the files. They are made together, one
// pair at a time, kept for a day in the state directory, and read in stretches.
//
// The files are copied as they are, up to a bound, and leave the server only sealed to the browser that asks, as all files do. An
// index in their archive says of each file whether it is there, and if not, why.
//
// In the other archive each text passes redaction as it is written, because its bytes pass none on their way. It is made from
// the answers that pages get: what they cannot show is not in it. Nothing of it is held in memory beyond one page of turns.
//
// Change here: what an archive holds. Not here: what the questions answer (the parts), how it gets to the browser
// (app/web/portal/account).
// May import: agentd/receipt, agentd/redact, agentd/rpc, agentd/store, agentd/wire. Used by: agentd.
// Proof: go test ./agentd/export ./cmd/hub/e2e/story
package export

// Package demo makes the files of a small business for the demo server to work on, with old temporary files among
// them. They are the same on every server, apart from dates, which are counted back from the day of seeding.
//
// Change here: what the demo's business has on its disk. Not here: who may touch it (agentd/gate).
// May import: the standard library. Used by: agentd (wiring), agentd/llm/rehearsal (to put lost files back).
// Proof: go test ./agentd/demo
package demo

// Package transcript is what was said in a run, step by step: answers of the model, results of calls, checks of the answer.
// Entries are only ever added.
//
// Change here: what an entry holds, how it is stored and read back, what the model reads of it. Not here: which messages a
// prompt is built of (agentd/runtime/prompt.go), what pages show (agentd/runtime/runview.go).
// May import: agentd/llm (messages), agentd/redact. Used by: agentd/runtime.
// If you change the table, add a migration in agentd/store/migrations (002x).
// Proof: go test ./agentd/runtime/transcript
package transcript

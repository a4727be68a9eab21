// Package runtime runs the team: sessions, scheduler and lanes, the prompt, the loop between model and tools, delegation, and
// how all that resumes after a crash. Everything it promises is on disk before it says so.
//
// Change here: how runs queue, stop, delegate, resume and end; what pages show of them. Not here: how events are stored
// (agentd/runtime/event), what a transcript holds (agentd/runtime/transcript), which files hold outside content
// (agentd/taint), whether a call may run (agentd/gate), what an agent is (agentd/team), how a model is asked (agentd/llm), how
// frames travel (agentd/link).
// May import: agentd/gate (calls and outcomes), agentd/llm, agentd/team, agentd/tool, agentd/wire, agentd/policy,
// agentd/store (its errors), agentd/receipt, agentd/redact, agentd/rpc, agentd/taint, and its own folders.
// Used by: agentd (wiring).
// If you change an event, also change: agentd/wire/event.go, app/web. If you change a table, add a migration in
// agentd/store/migrations (002x). Proof: go test ./agentd/runtime/...
package runtime

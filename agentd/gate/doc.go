// Package gate is the one place where a call of an agent becomes an act. It is the only caller of Tool.Run: schema,
// classification, rules, approval, record of the intent, run, record of the outcome.
//
// Change here: the pipeline of a call, permits, approvals on the server. Not here: what is risky (agentd/policy),
// what tools do (agentd/tools/…), how decisions travel (agentd/link).
// May import: agentd/config, agentd/failpoint, agentd/policy, agentd/receipt, agentd/redact, agentd/store,
// agentd/tool, agentd/wire, a JSON Schema validator. Used by: agentd, agentd/runtime, agentd/tools/….
// If you change a stage, also change: SECURITY.md, docs/ARCHITECTURE.md. Proof: go test ./agentd/gate
package gate

// Package gate is the one place where a call of an agent becomes an act. It is the only caller of Tool.Run: schema,
// classification, what leaves, limits, guardian, rules, approval, leases, record of the intent, run, record of the
// outcome.
//
// Change here: the pipeline of a call, permits, approvals on the server. Not here: what is risky and what the rules say (agentd/policy), what
// the guardian thinks (agentd/guardian), what tools do (agentd/tools/…), how decisions travel (agentd/link).
// May import: agentd/config, agentd/failpoint, agentd/policy, agentd/policy/strict, agentd/receipt, agentd/redact,
// agentd/rpc, agentd/store, agentd/tool, agentd/vault/secret, agentd/wire, a JSON Schema validator. Used by: agentd, cmd/agentd, cmd/bench.
// If you change a stage, also change: SECURITY.md, docs/ARCHITECTURE.md. Proof: go test ./agentd/gate
package gate

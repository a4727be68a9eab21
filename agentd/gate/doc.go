// Package gate is the one place where a call of an agent becomes an act. It is the only caller of Tool.Run: schema,
// classification, scan of what leaves, limits, guardian, rules, approval, leases, record of the intent, run, record of the
// outcome.
//
// A pipeline takes one call through these stages (pipeline.go, stages.go); a txn is one write of the store, with records,
// receipts and frames for the hub, all or nothing (txn.go). A person's decision arrives in applydecision.go; recheck.go
// starts what was allowed. Permits are in permit.go, their only use is in run.go.
//
// Change here: the pipeline of a call, permits, approvals on the server. Not here: what is risky and what the rules say
// (agentd/policy), how calls are counted against limits (agentd/gate/limit), where long outputs are kept (agentd/gate/output),
// what the guardian thinks (agentd/guardian), what tools do (agentd/tools/…), how decisions travel (agentd/link).
// May import: agentd/config, agentd/failpoint, agentd/gate/limit, agentd/gate/output, agentd/policy, agentd/policy/strict,
// agentd/receipt, agentd/redact, agentd/rpc, agentd/store, agentd/tool, agentd/vault/secret, agentd/wire, a JSON Schema validator.
// Used by: agentd, cmd/agentd, cmd/bench.
// If you change a stage, also change: SECURITY.md, docs/ARCHITECTURE.md. Proof: go test ./agentd/gate/...
package gate

// Package receipt is the tamper-evident log of what was asked, decided and done on a server: append-only, each
// record bound to the one before by a hash, anchored outside by signed checkpoints.
//
// Change here: how records are chained, verified, checkpointed and exported. Not here: which records a call leaves
// (agentd/gate), what the tables look like (agentd/store/migrations).
// May import: agentd/policy/canonical, agentd/redact, agentd/rpc, agentd/store, agentd/wire. Used by: agentd,
// agentd/export, cmd/agentd, cmd/bench. If you change what is hashed, also change: agentd/wire/receipt.go, SECURITY.md. Proof: go test
// ./agentd/receipt
package receipt

// Package webhook sends the results of schedules to addresses that the owner has signed for.
//
// A delivery is put on record in the transaction that ends its tick, so that none is lost and none is there twice. It is tried until the
// receiver answers 2xx: a receiver that got it and whose answer was lost gets it again, with the same Idempotency-Key. Each attempt is a
// call of the tool webhook_send, which no model sees, through the gate: what leaves is scanned there, and each attempt has its receipts.
//
// The signature of the owner is for an address and for what the schedule does. A schedule that does something else since then sends
// nothing until the owner has signed again. Requests go to public addresses alone, unless the operator of the server has listed an origin
// in LocalFile, and follow no redirect.
//
// Change here: addresses, attempts, what a receiver gets. Not here: when results are there (agentd/schedule), which networks are off
// limits (agentd/netguard), what leaves (agentd/egress).
// May import: agentd/failpoint, agentd/gate, agentd/hook/proof, agentd/netguard, agentd/policy, agentd/receipt, agentd/redact,
// agentd/store, agentd/tool, agentd/vault/secret, agentd/wire, google/uuid, yaml. Used by: agentd, agentd/schedule.
// If you change a table, add a migration in agentd/store/migrations. Proof: go test ./agentd/schedule/webhook
package webhook

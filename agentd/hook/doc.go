// Package hook takes what programs outside send and has an agent work on it: hooks that the owner has made and signed for, each
// with a secret of its own.
//
// What comes is content from outside: the run stands behind its source from its first moment, and reads it between marks
// (agentd/ingress). A delivery, the marks by which it is known again, its receipt and its run are one transaction: a sender that
// was killed, or sends again because this process was, gets one run. What is refused writes nothing by itself: it is counted, and
// one row says so for each minute, so that nobody fills the disk with forgeries.
//
// Of a bearer token only its hash is kept, and the token never travels when the hook is made. The key of a sender that signs lies
// in the vault; it counts only while it is the one whose hash the owner has signed.
//
// Change here: what hooks are, what becomes of deliveries, what owners do with hooks. Not here: how senders show who they are
// (agentd/hook/proof), the way from outside to here (app/web/hook, app/hook), how runs work (agentd/runtime).
// May import: agentd/failpoint, agentd/hook/proof, agentd/policy, agentd/receipt, agentd/redact, agentd/rpc, agentd/store,
// agentd/vault/secret, agentd/wire, google/uuid. Used by: agentd.
// If you change a table, add a migration in agentd/store/migrations. Proof: go test ./agentd/hook/...
package hook

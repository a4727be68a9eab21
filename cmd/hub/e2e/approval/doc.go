// Package approval tests decisions of people: keys and devices that may sign them, keys of staff, two who decide at
// once, what cannot be undone, and cards that say something else than the server signed.
//
// Change here: stories of deciding. Not here: the gate (agentd/gate), signatures (agentd/approver), the rig (cmd/hub/e2e).
// May import: agentd/wire, cmd/hub/e2e. Used by: nobody. Proof: go test ./cmd/hub/e2e/approval
package approval

// Package redteam tests attacks on the whole product: a model that obeys every order, paths out of the data folder, and a
// hub that forges decisions.
//
// Change here: attempts and what must stay whole.
// Not here: the rules that stop them (agentd/policy, agentd/taint), the rig (cmd/hub/e2e).
// May import: agentd/leakscan, agentd/wire, app/relay, cmd/hub/e2e. Used by: nobody. Proof: go test ./cmd/hub/e2e/redteam
package redteam

// Package rule tests what the owner allows in advance and its limits: rules, standing approvals, addresses that
// count as inside, places of a secret, the quarantine, and putting back what an agent wrote.
//
// Change here: stories of these pages. Not here: the decision itself (agentd/policy), the rig (cmd/hub/e2e).
// May import: agentd/policy/canonical, agentd/wire, cmd/hub/e2e. Used by: nobody. Proof: go test ./cmd/hub/e2e/rule
package rule

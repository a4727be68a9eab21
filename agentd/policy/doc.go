// Package policy says how risky a call is and whether it may run: classification, autonomy, the external gate, the
// owner's rules, taint. It is pure: rules and a call in, a verdict and its reason out, so the hub can use it to explain
// and preview.
//
// Change here: tiers, what arguments of a tool would do, the decision table, permissions.yaml. Not here: counting, approvals, permits,
// receipts (agentd/gate), measuring (agentd/tools/…).
// May import: agentd/policy/strict, the standard library, gopkg.in/yaml.v3, mvdan.cc/sh, golang.org/x/text and x/net/idna. Used by: agentd,
// app/web/inbox, app/web/portal, cmd/agentd.
// If you change a tier, also change: docs/ARCHITECTURE.md, SECURITY.md. Proof: go test ./agentd/policy
package policy

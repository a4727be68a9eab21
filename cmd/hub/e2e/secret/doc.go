// Package secret tests secrets in people's hands: given, shown, asked for, rotated. Everything that reaches the hub is
// searched for values. It also tests that contents stay on the server and that staff do not see them.
//
// Change here: how secrets and contents are used and where they are searched for.
// Not here: the vault (agentd/vault), the scanner (agentd/leakscan), the rig (cmd/hub/e2e).
// May import: agentd/leakscan, agentd/wire, cmd/hub/e2e. Used by: nobody. Proof: go test ./cmd/hub/e2e/secret
package secret

// Package config holds what the owner has set for a server: autonomy levels, unlocks, addresses inside the business,
// and the rules of permissions.yaml. Versions go only upward, and are in force at once; rules that cannot be read leave
// the last good ones in force.
//
// Change here: what a version may say, how it is applied. Not here: what levels and unlocks mean (agentd/policy),
// agentd's own environment (cmd/agentd).
// May import: agentd/policy, agentd/receipt, agentd/rpc, agentd/store, agentd/wire, golang.org/x/text, google/uuid.
// Used by: agentd, agentd/gate, cmd/agentd.
// If you change a field, also change: agentd/wire/body.go, app/team. Proof: go test ./agentd/config
package config

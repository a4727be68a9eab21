// Package config holds what the owner has set for a server: autonomy levels, unlocks, addresses inside the business.
// Versions come over the link, go only upward, and are in force at once.
//
// Change here: what a version may say, how it is applied. Not here: what levels and unlocks mean (agentd/policy),
// agentd's own environment (cmd/agentd).
// May import: agentd/receipt, agentd/store, agentd/wire, golang.org/x/text. Used by: agentd, agentd/gate, cmd/agentd.
// If you change a field, also change: agentd/wire/body.go, app/team. Proof: go test ./agentd/config
package config

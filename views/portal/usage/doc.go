// Package usage holds the pages of what the team used: tokens by day, agent and model, and hour by hour.
//
// Change here: what the pages show. Not here: what is counted (agentd/llm/meter), what it costs.
// May import: views/…. Used by: app/web/portal/usage. Proof: go test ./app/web/portal/usage
package usage

// Package usage holds what the meters on customers' servers counted: tokens per hour, agent and model, as the hub keeps them.
//
// Change here: what a bucket is, which reports are refused, how it is compared with servers. Not here: counting (agentd/llm/meter), prices and periods
// (app/pricing), SQL (db/usage.go).
// May import: app/account, app/server, agentd/wire. Used by: app/billing, cmd/hub, db. Proof: go test ./app/usage ./db
package usage

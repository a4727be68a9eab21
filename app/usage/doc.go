// Package usage holds what the meters on customers' servers counted: tokens per hour, agent and model, as the hub keeps them.
//
// Change here: what a bucket is, which reports are refused, how they are compared with servers, what pages add up. Not here:
// counting (agentd/llm/meter), prices and periods, SQL (db/usage.go).
// May import: app/account, app/fault, app/server, agentd/wire. Used by: app/billing, app/web/admin, app/web/api,
// app/web/portal, app/web/portal/usage, cmd/bench, cmd/hub, db. Proof: go test ./app/usage ./db
package usage

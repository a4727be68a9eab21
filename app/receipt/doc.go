// Package receipt keeps the outside anchor of a server's log: its signed checkpoints, never the receipts themselves. A
// server that rewrites its log gives itself away here.
//
// Change here: what a checkpoint must fulfil, what is raised when one does not. Not here: the log and its chain
// (agentd/receipt), SQL (db/checkpoints.go).
// May import: app/fault, app/server, agentd/wire. Used by: db, cmd/hub. Proof: go test ./app/receipt ./app/web/agentlink
package receipt

// Package receipt keeps the outside anchor of a server's log: its signed checkpoints, never the receipts themselves. A
// server whose log was set back or rewritten gives itself away here, by the next checkpoint or by what it answers when it
// connects, and is put on hold: nothing is allowed on it until a person releases it.
//
// An honest server is never held. It makes a checkpoint and remembers it in one transaction and sends them in order, so
// one that comes twice is known, and one that comes once goes on from the one before. A hub that is younger than the log,
// or was set back itself, believes the first checkpoint beyond what it knows. Keys from a new registration begin a new
// history, and so does a release.
//
// Change here: what a checkpoint must fulfil, what follows when one does not. Not here: the log and its chain
// (agentd/receipt), SQL (db/checkpoints.go, db/receipt_holds.go).
// May import: app/audit, app/fault, app/server, agentd/wire. Used by: db, cmd/hub. Proof: go test ./app/receipt
// ./app/web/agentlink
package receipt

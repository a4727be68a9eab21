// Package fault gives errors a kind and two texts: one for logs, one for the person on the other side.
//
// Change here: kinds and what the outside sees of an error. Not here: HTTP status codes (app/web).
// May import: the standard library. Used by: app, cmd/hub, cmd/hub/devmail, db, jobs. Proof: go test ./app/fault
package fault

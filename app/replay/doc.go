// Package replay says what becomes of a request that carries an Idempotency-Key: the first is answered, a repeat gets
// the same answer.
//
// Change here: what is kept of an answer, what can be wrong with a key. Not here: the header (app/web/once), SQL
// (db/idempotency.go).
// May import: app/fault. Used by: app/web/once, db. Proof: go test ./app/web/once ./db
package replay

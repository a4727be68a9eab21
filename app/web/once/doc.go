// Package once lets a POST with an Idempotency-Key happen once, on every route of the API that keeps what it does.
//
// Change here: the header, which answers are kept, what a repeat is told. Not here: what can be wrong with a key
// (app/replay), SQL (db/idempotency.go).
// May import: echo, app/replay, app/web/jsonbody. Used by: app/web/agentlink, app/web/api. Proof: go test ./app/web/once
package once

// Package jsonbody reads the JSON of a request in one way only: what two readers could read in two ways is refused.
//
// Change here: what a body may look like. Not here: which fields a route takes (its handler).
// May import: echo, app/fault. Used by: app/web/agentlink, app/web/api, app/web/once. Proof: go test
// ./app/web/jsonbody
package jsonbody

// Package api is the JSON surface of the hub: what a business and our staff can do by program, with API tokens. A
// handler reads the request, calls the same service as the pages, and writes JSON; it has no rule of its own.
//
// Change here: requests and responses, together with openapi.yaml, which the tests hold against real answers. Not
// here: rules (app/…), tokens (app/web/session), the register route (app/web/agentlink).
// May import: app/…, app/web, agentd/wire. Used by: cmd/hub. Proof: go test ./app/web/api
package api

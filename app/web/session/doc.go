// Package session is the web edge of sign-ins: cookies, who a request comes from, and the middleware that demands it.
//
// Change here: cookie names and attributes, the CSRF token, API token headers. Not here: lifetimes (app/signin), the
// table (db/signins.go), what a role may do (app/account, app/staff).
// May import: app/account, app/audit, app/fault, app/signin, echo. Used by: app/web/…, cmd/bench, cmd/hub.
// Proof: go test ./app/web/session
package session

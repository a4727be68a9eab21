// Package web is the hub's HTTP edge: the server, the middleware every request passes, routes with their audience,
// rendering, live streams, and the one place where an error becomes a page or a problem document.
//
// Change here: security headers, limits, how errors look, what a route may state. Not here: pages (app/web/public,
// portal, inbox, admin), sign-ins (app/web/session), rules (app/…).
// May import: app/fault, app/signin, app/staff, app/tune, app/web/session, views, echo. Used by: app/web/…, cmd/bench,
// cmd/hub.
// Proof: go test ./app/web/...
package web

// Package signin holds the rules of a browser's login: what kinds there are, how long each lives, when it is fresh.
//
// Change here: lifetimes, idle time, what makes a sign-in fresh. Not here: cookies and middleware (app/web/session),
// passwords and second factors (app/account, app/staff), SQL (db/signins.go).
// May import: app/audit, app/fault, app/tune, standard library. Used by: app/web, app/web/portal/account, app/web/public,
// app/web/session, cmd/bench, cmd/hub, db. Proof: go test ./app/signin ./app/web/session
package signin

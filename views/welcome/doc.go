// Package welcome is the markup of the first tasks that a new customer is offered: the order page shows them when the server is
// ready, the portal until they are done or put away.
//
// Change here: how tasks look. Not here: which there are and what they say (app/welcome).
// May import: views/…. Used by: app/web/firsttask, app/web/portal/home, app/web/portal/team, app/web/public, views/portal/home,
// views/portal/team, views/public.
// Proof: go test ./app/web/portal/home ./app/web/portal/team
package welcome

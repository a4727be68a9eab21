// Package roster says how the agents of a team look on pages, also while the server that has them does not answer.
//
// Change here: what is remembered of a team, how an agent becomes props. Not here: what an agent may do (app/team), its
// pages (app/web/portal/team).
// May import: agentd/wire, app/…, views. Used by: app/web/portal.
// Proof: go test ./app/web/portal/...
package roster
